// Changes a table of ids from another process: the change is named by the third argument.
import { connect, Index } from "@lancedb/lancedb";
import { print } from "../../process/support/print.ts";
import { idRows } from "../../support/tables.ts";

const [folder = "", name = "", change = ""] = process.argv.slice(2);
const table = await (await connect(folder)).openTable(name);

const changes: Record<string, () => Promise<unknown>> = {
  append: () => table.add(idRows(40, 60)),
  delete: () => table.delete("id % 3 = 0"),
  update: () => table.update({ where: "id = 4", values: { name: "changed" } }),
  compact: () => table.optimize(),
  index: () => table.createIndex("id", { config: Index.btree() }),
  // Twenty versions, one after the other, told one by one.
  grow: async () => {
    for (let step = 0; step < 20; step++) {
      await table.add(idRows(1000 + step * 50, 1050 + step * 50));
      print(step);
    }
  },
  "forget versions": () =>
    table.optimize({ cleanupOlderThan: new Date(Date.now() + 1000), deleteUnverified: true }),
};

await changes[change]?.();
print(JSON.stringify({ version: await table.version(), indices: (await table.listIndices()).length }));
