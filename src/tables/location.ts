import { fileURLToPath } from "node:url";

/**
 * A table's location as the addon opens it.
 *
 * A path is taken literally (`%20` in it is no space) and made absolute; a `file:` URL is decoded to a path, its server kept on
 * Windows; any other URI is left as it is, so that object stores keep their `/` on every platform. Both ways of writing a Windows
 * path name one place.
 *
 * @param windows - whether paths are Windows paths.
 * @param absolute - makes a path absolute: `path.resolve` of the platform.
 */
export function normalizeLocation(
  location: string | URL,
  windows: boolean,
  absolute: (path: string) => string,
): string {
  const text = String(location);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  // A single letter before a colon is a Windows drive, never a scheme.
  if (scheme === undefined || scheme.length === 1) return absolute(text);
  if (scheme === "file") return absolute(fileURLToPath(text, { windows }));
  return text;
}
