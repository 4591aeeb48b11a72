// Makes a graph in argv[2] with the reference memory server's own class, and prints what it says is in it.
import { pathToFileURL } from "node:url";
import path from "node:path";

const [, , folder, modules, grow] = process.argv;
const entry = path.join(modules, "@modelcontextprotocol/server-memory/dist/index.js");
process.env.MEMORY_FILE_PATH = path.join(folder, "memory.jsonl");
process.argv[1] = "imported";
const { KnowledgeGraphManager } = await import(pathToFileURL(entry).href);
const graph = new KnowledgeGraphManager(process.env.MEMORY_FILE_PATH);
if (grow === "grow") {
  await graph.addObservations([{ entityName: "Alice", contents: ["moved to Kyoto"] }]);
} else {
  await graph.createEntities([
    { name: "Alice", entityType: "person", observations: ["likes tea", "東京に住む"] },
    { name: "Société", entityType: "company", observations: [] },
  ]);
  await graph.createRelations([{ from: "Alice", to: "Société", relationType: "works_at" }]);
}
console.log(JSON.stringify(await graph.readGraph()));
process.exit(0);
