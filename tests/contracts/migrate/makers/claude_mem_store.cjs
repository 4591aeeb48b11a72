// Makes a database in argv[2] with claude-mem's own store class (under Bun), and prints what it says is in it.
const path = require("node:path");
const [, , folder, modules, grow] = process.argv;
const { SessionStore } = require(path.join(modules, "claude-mem/plugin/sqlite/SessionStore.js"));
const store = new SessionStore(path.join(folder, "claude-mem.db"));
const seen = (type, title, narrative, facts) => ({
  type, title, subtitle: "", facts, narrative, concepts: ["auth"], files_read: ["auth.py"], files_modified: [],
});
if (grow === "grow") {
  store.storeObservation("memory-1", "shop", seen("change", "said after the first import", "Later.", []), 2);
} else {
  const id = store.createSDKSession("content-1", "shop", "add login");
  store.ensureMemorySessionIdRegistered(id, "memory-1");
  store.saveUserPrompt("content-1", 1, "ajoute la connexion", id);
  store.storeObservation("memory-1", "shop", seen("decision", "JWT chosen", "We compared both.", ["15 minutes"]), 1);
  store.storeObservation("memory-1", "shop", seen("bugfix", "認証の修正", "Le jeton expirait.", []), 1);
  store.storeSummary("memory-1", "shop", { request: "add login", investigated: "auth", learned: "JWT",
    completed: "login", next_steps: "tests", notes: null }, 1);
}
const all = (table) => store.db.prepare(`SELECT * FROM ${table} ORDER BY id`).all();
console.log("\n" + JSON.stringify({ observations: all("observations"), summaries: all("session_summaries"),
  prompts: all("user_prompts") }));
