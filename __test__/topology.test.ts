import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type DetectTopologyOptions, detectTopology, type Launcher } from "../src/topology.ts";
import { failure } from "./support/errors.ts";

type Variables = Record<string, string>;

/** What the launchers set for the second of their processes, as they were run: torchrun of torch 2.15, Open MPI 4.1.4, MPICH 4.0.2, SLURM 22.05.8. */
const recorded: Record<Launcher, Variables> = {
  torchrun: {
    GROUP_RANK: "0",
    GROUP_WORLD_SIZE: "1",
    LOCAL_RANK: "1",
    LOCAL_WORLD_SIZE: "2",
    RANK: "1",
    ROLE_RANK: "1",
    ROLE_WORLD_SIZE: "2",
    WORLD_SIZE: "2",
  },
  openmpi: {
    OMPI_COMM_WORLD_LOCAL_RANK: "1",
    OMPI_COMM_WORLD_LOCAL_SIZE: "2",
    OMPI_COMM_WORLD_NODE_RANK: "1",
    OMPI_COMM_WORLD_RANK: "1",
    OMPI_COMM_WORLD_SIZE: "2",
    PMIX_RANK: "1",
  },
  mpich: { MPI_LOCALNRANKS: "2", MPI_LOCALRANKID: "1", PMI_FD: "8", PMI_RANK: "1", PMI_SIZE: "2" },
  slurm: {
    SLURM_JOB_ID: "1",
    SLURM_LOCALID: "1",
    SLURM_NTASKS: "2",
    SLURM_PROCID: "1",
    SLURM_STEP_ID: "0",
    SLURM_STEP_NUM_TASKS: "2",
  },
  // From the documentation of Jobs: the number of completions is no variable, so that the manifest sets one.
  kubernetes: { JOB_COMPLETION_INDEX: "1", WORLD_SIZE: "2" },
};

const detect = (env: Variables, options: Omit<DetectTopologyOptions, "env"> = {}) =>
  detectTopology({ ...options, env });
const names = Object.keys(recorded) as Launcher[];

describe("detectTopology", () => {
  it.each(names)("knows_a_process_of_%s_by_its_variables", (launcher) => {
    const found = detect({ PATH: "/bin", ...recorded[launcher] });
    expect(found).toMatchObject({ rank: 1, worldSize: 2, launcher });
    for (const [name, value] of Object.entries(found.variables)) expect(recorded[launcher][name]).toBe(value);
    expect(Object.keys(found.variables)).toHaveLength(2);
  });

  it("is_the_only_process_where_no_launcher_left_a_trace", () => {
    const alone = { rank: 0, worldSize: 1, launcher: null, variables: {} };
    expect(detect({ PATH: "/bin" })).toEqual(alone);
    expect(detect({ WORLD_SIZE: "4" })).toEqual(alone);
  });

  it("a_batch_script_of_slurm_is_no_task_of_its_job", () => {
    const { SLURM_STEP_ID, SLURM_STEP_NUM_TASKS, ...script } = recorded.slurm;
    expect(detect({ ...script, SLURM_PROCID: "0" }).launcher).toBeNull();
  });

  it("a_step_of_slurm_may_have_fewer_tasks_than_its_job", () => {
    expect(detect({ ...recorded.slurm, SLURM_NTASKS: "16" }).worldSize).toBe(2);
  });

  it("launchers_inside_each_other_that_agree_are_one", () => {
    const all = Object.assign({}, ...Object.values(recorded));
    expect(detect(all)).toMatchObject({ rank: 1, worldSize: 2, launcher: "torchrun" });
  });

  it("launchers_that_disagree_are_an_error_until_one_is_chosen", async () => {
    const env = { ...recorded.slurm, ...recorded.torchrun, RANK: "5", WORLD_SIZE: "8" };
    const told = ["torchrun says rank 5 of 8", "slurm says rank 1 of 2"];
    await failure(() => detect(env), "TOPOLOGY_UNCLEAR", ...told, 'detectTopology({ launcher: "torchrun" })');
    expect(detect(env, { launcher: "torchrun" })).toMatchObject({ rank: 5, worldSize: 8 });
    expect(detect(env, { launcher: "slurm" })).toMatchObject({ rank: 1, worldSize: 2 });
  });

  it("a_kubernetes_job_that_tells_no_size_is_told_where_to_set_it", async () => {
    const env = { JOB_COMPLETION_INDEX: "3" };
    await failure(() => detect(env), "TOPOLOGY_UNCLEAR", "WORLD_SIZE", "completions");
    expect(detect(env, { worldSize: 4 })).toMatchObject({ rank: 3, worldSize: 4 });
  });

  it.each([
    ["no_number", { RANK: "first", WORLD_SIZE: "2" }, "RANK"],
    ["a_negative_rank", { RANK: "-1", WORLD_SIZE: "2" }, "RANK"],
    ["a_fraction", { RANK: "0.5", WORLD_SIZE: "2" }, "RANK"],
    ["no_processes", { RANK: "0", WORLD_SIZE: "0" }, "WORLD_SIZE"],
    ["no_size", { RANK: "0" }, "WORLD_SIZE"],
    ["a_rank_outside_the_world", { RANK: "2", WORLD_SIZE: "2" }, "RANK"],
  ])("refuses_%s_and_names_the_variable", async (_, env, variable) => {
    const refused = await failure(() => detect(env as unknown as Variables), "TOPOLOGY_UNCLEAR");
    expect(refused.message).toMatch(new RegExp(`^${variable} is`));
  });

  it("refuses_options_that_are_none", async () => {
    const wrong: [DetectTopologyOptions, string][] = [
      [{ launcher: "pbs" as Launcher }, "launcher"],
      [{ worldSize: 0 }, "worldSize"],
      [{ rank: 1 } as DetectTopologyOptions, "rank"],
    ];
    for (const [options, name] of wrong) {
      await failure(() => detectTopology({ env: {}, ...options }), "INVALID_ARGUMENT", name);
    }
  });

  it("finds_every_rank_of_every_world", () => {
    const world = fc
      .integer({ min: 1, max: 2 ** 20 })
      .chain((worldSize) => fc.record({ worldSize: fc.constant(worldSize), rank: fc.nat(worldSize - 1) }));
    fc.assert(
      fc.property(world, ({ rank, worldSize }) => {
        const found = detect({ RANK: `${rank}`, WORLD_SIZE: `${worldSize}` });
        expect([found.rank, found.worldSize]).toEqual([rank, worldSize]);
      }),
    );
  });

  it("reads_this_process_by_default", () => {
    vi.stubEnv("RANK", "3");
    vi.stubEnv("WORLD_SIZE", "7");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(detectTopology()).toMatchObject({ rank: 3, worldSize: 7 });
  });
});
