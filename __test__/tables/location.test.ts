import { posix, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalizeLocation } from "../../src/tables/location.ts";

/** The location on Windows, in the folder C:\work. */
const onWindows = (location: string | URL) =>
  normalizeLocation(location, true, (path) => win32.resolve("C:\\work", path));

/** The location elsewhere, in the folder /home/me. */
const onPosix = (location: string | URL) =>
  normalizeLocation(location, false, (path) => posix.resolve("/home/me", path));

describe("on Windows", () => {
  test.each(["C:\\t\\db", "C:/t/db", "file:///C:/t/db", "c:\\t\\..\\t\\db"])(
    "%s is one place",
    (location) => {
      expect(onWindows(location).toLowerCase()).toBe("c:\\t\\db");
    },
  );

  test("a URL keeps its server", () => {
    expect(onWindows("file://server/share/db")).toBe("\\\\server\\share\\db");
    expect(onWindows("\\\\server\\share\\db")).toBe("\\\\server\\share\\db");
  });

  test("a path that is not absolute lies in the working folder", () => {
    expect(onWindows("data/db")).toBe("C:\\work\\data\\db");
  });

  test("a URL is decoded, a path is not", () => {
    expect(onWindows("file:///C:/my%20data/d%C3%A4ten")).toBe("C:\\my data\\däten");
    expect(onWindows("C:\\my%20data")).toBe("C:\\my%20data");
  });
});

describe("elsewhere", () => {
  test("a path is made absolute and taken literally", () => {
    expect(onPosix("data/db")).toBe("/home/me/data/db");
    expect(onPosix("/data/a%20b/ä #?.lance")).toBe("/data/a%20b/ä #?.lance");
    expect(onPosix("../you/db")).toBe("/home/you/db");
  });

  test("a file URL is decoded to its path, as a string or as a URL", () => {
    expect(onPosix("file:///data/a%20b")).toBe("/data/a b");
    expect(onPosix(new URL("file:///data/d%C3%A4ten"))).toBe("/data/däten");
    expect(onPosix("FILE:///data/db")).toBe("/data/db");
  });

  test("a file URL with a server is refused: there is no such path", () => {
    expect(() => onPosix("file://server/share/db")).toThrow(/host/);
  });

  test("the file URL of any path is that path", () => {
    const names = fc.stringMatching(/^[^/\0\\]{1,12}$/).filter((name) => !/^\.{1,2}$/.test(name));
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 4 }), (parts) => {
        const path = `/${parts.join("/")}`;
        expect(onPosix(pathToFileURL(path))).toBe(posix.resolve(path));
        expect(onPosix(path)).toBe(posix.resolve(path));
      }),
    );
  });
});

describe("everywhere", () => {
  const uris = ["s3://bucket/a/b.lance", "gs://bucket/x y", "az://container/t", "s3+ddb://bucket/t?table=x"];
  test.each(uris)("%s is left as it is, with its slashes", (uri) => {
    expect(onWindows(uri)).toBe(uri);
    expect(onPosix(uri)).toBe(uri);
  });
});
