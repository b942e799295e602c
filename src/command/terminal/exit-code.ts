/** What the exit code of the command says. */
export const exitCodes = {
  /** Done, and nothing is amiss. */
  done: 0,
  /** Done, and what was asked about is not so: a check found a fault, states differ. */
  differs: 1,
  /** The command line can't be followed: an unknown option, a value that is not allowed. */
  usage: 2,
  /** The work failed: a table that is not there, a read, a transform. */
  failed: 3,
  /** A defect of the command itself. */
  defect: 70,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
