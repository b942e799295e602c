import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.ts"],
    // Processes, not threads: a test may end its process, and the addon is loaded as an application loads it.
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
