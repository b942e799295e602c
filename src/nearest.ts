/**
 * The candidates that a mistyped name probably meant, nearest first.
 *
 * Nearness is the Levenshtein distance, upper and lower case being the same; a candidate counts when at most a third of
 * the longer name (but always two letters) has to change. Takes O(candidates * letters^2) time: meant for error messages.
 *
 * @param limit - the most names to answer with, 3 by default.
 */
export function nearestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = name.toLowerCase();
  const near: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= Math.max(2, Math.max(name.length, candidate.length) / 3))
      near.push({ candidate, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.slice(0, limit).map(({ candidate }) => candidate);
}

/** The end of an error message about an unknown name: the nearest names, or else the first twenty that exist. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearestNames(name, candidates);
  if (near.length > 0) return `Did you mean ${near.map((each) => JSON.stringify(each)).join(" or ")}?`;
  if (candidates.length === 0) return "There are none.";
  const shown = candidates.slice(0, 20).map((each) => JSON.stringify(each));
  return `There are ${shown.join(", ")}${candidates.length > 20 ? `, and ${candidates.length - 20} more` : ""}.`;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const current = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (previous[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j + 1] ?? 0) + 1, (current[j] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
