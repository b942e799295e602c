import { describe, expect, it } from "vitest";
import { addonFile, type Host, libcOf, platformPackage, targets, tripleOf } from "../../src/platform.ts";

const glibcReport = {
  header: { glibcVersionRuntime: "2.36" },
  sharedObjects: ["/lib/x86_64-linux-gnu/libc.so.6"],
};
const muslReport = { header: {}, sharedObjects: ["/usr/lib/libstdc++.so.6", "/lib/ld-musl-x86_64.so.1"] };
const glibcLdd = "#! /bin/bash\n# Copyright (C) 1996-2022 Free Software Foundation, Inc.\n# GNU C Library\n";
const muslLdd = "musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader\n";

function host(fields: { platform?: string; arch?: string; report?: unknown; ldd?: string }): Host {
  return {
    platform: fields.platform ?? "linux",
    arch: fields.arch ?? "x64",
    report: () => fields.report,
    readFile: (path) => (path === "/usr/bin/ldd" ? fields.ldd : undefined),
  };
}

describe("the C library", () => {
  it("glibc_is_never_taken_for_musl", () => {
    // musl's tools on a glibc system: a wrapper named ldd, and folders and libraries with musl in their names.
    expect(libcOf(host({ report: glibcReport, ldd: muslLdd }))).toBe("glibc");
    const besideMusl = { header: {}, sharedObjects: ["/opt/ld-musl-cross/libssl.so", "/lib/libc.so.6"] };
    expect(libcOf(host({ report: besideMusl, ldd: muslLdd }))).toBe("glibc");
    expect(libcOf(host({ ldd: `${glibcLdd}# supports musl, too` }))).toBe("glibc");
  });

  it("musl_is_told_by_the_report_or_by_ldd", () => {
    expect(libcOf(host({ report: muslReport }))).toBe("musl");
    expect(libcOf(host({ report: muslReport, ldd: glibcLdd }))).toBe("musl");
    expect(libcOf(host({ report: { header: {}, sharedObjects: ["/lib/libc.musl-aarch64.so.1"] } }))).toBe(
      "musl",
    );
    expect(libcOf(host({ ldd: muslLdd }))).toBe("musl");
  });

  it("a_runtime_without_report_and_files_is_taken_for_glibc", () => {
    for (const report of [undefined, null, "text", 1, {}, { header: null }, { sharedObjects: [1, null] }]) {
      expect(libcOf(host({ report }))).toBe("glibc");
    }
  });
});

describe("the triple", () => {
  it("every_target_is_found_by_its_own_host", () => {
    for (const target of targets) {
      const report = target.libc === "musl" ? muslReport : glibcReport;
      expect(tripleOf(host({ platform: target.platform, arch: target.arch, report }))).toBe(target.triple);
    }
  });

  it("no_two_targets_share_a_triple", () => {
    expect(new Set(targets.map((target) => target.triple)).size).toBe(targets.length);
  });

  it("a_host_without_a_published_build_has_a_triple_that_is_no_targets", () => {
    const triples = [
      tripleOf(host({ platform: "freebsd" })),
      tripleOf(host({ platform: "darwin" })),
      tripleOf(host({ arch: "riscv64", report: glibcReport })),
      tripleOf(host({ arch: "riscv64", report: muslReport })),
    ];
    expect(triples).toEqual(["freebsd-x64", "darwin-x64", "linux-riscv64-gnu", "linux-riscv64-musl"]);
    for (const triple of triples) expect(targets.map((target) => target.triple)).not.toContain(triple);
  });

  it("names_the_file_and_the_package", () => {
    expect(addonFile("darwin-arm64")).toBe("lance-loader.darwin-arm64.node");
    expect(platformPackage("darwin-arm64")).toBe("lance-loader-darwin-arm64");
  });
});
