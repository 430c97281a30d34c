import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../../lib/store/open-sqlite-store.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";

const modulePath = JSON.stringify(new URL("../../../lib/store/sqlite-store.ts", import.meta.url).href);

describe("the SQLite store", () => {
  let folder: string;
  const children: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-sqlite-"));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a script with `store` in a new process, whose output can be read line by line. */
  function runScript(script: string, shell?: string) {
    const file = join(folder, `script-${children.length}.mts`);
    writeFileSync(
      file,
      `import { createSqliteStore } from ${modulePath};
       const store = createSqliteStore({ dataDir: ${JSON.stringify(join(folder, "data"))} });
       const say = (line: unknown) => console.log(JSON.stringify(line));
       ${script}`,
    );
    const command = `${shell ?? ""} exec "${process.execPath}" --import tsx "${file}"`;
    const child = spawn("sh", ["-c", command], { stdio: ["pipe", "pipe", "inherit"] });
    children.push(child);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }
  const nextLine = async (lines: AsyncIterator<string>) => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the script ended");
    return JSON.parse(value);
  };

  it("waits at its opening for another process that holds a new file", async () => {
    const file = join(folder, "hivegate.sqlite");
    const holder = `
      import Database from ${JSON.stringify(import.meta.resolve("libsql"))};
      const database = new Database(${JSON.stringify(file)});
      database.exec("CREATE TABLE other (a); BEGIN IMMEDIATE; INSERT INTO other VALUES (1);");
      console.log('"held"');
      setTimeout(() => database.exec("COMMIT"), 300);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", holder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    expect(await nextLine(createInterface({ input: child.stdout })[Symbol.asyncIterator]())).toBe("held");
    const store = createSqliteStore({ dataDir: folder });
    await store.set("key", "value");
    expect(await store.get("key")).toBe("value");
    await store.close();
  });

  it("has one winner for each key when two processes race", async () => {
    const racer = (name: string) =>
      runScript(`
        say("ready");
        process.stdin.once("data", async () => {
          const won: string[] = [];
          for (let index = 0; index < 200; index++)
            if (await store.setIfAbsent("key" + index, "${name}", 600)) won.push("key" + index);
          say(won);
          await store.close();
          process.exit();
        });`);
    const racers = [racer("one"), racer("two")];
    for (const { lines } of racers) expect(await nextLine(lines)).toBe("ready");
    for (const { child } of racers) child.stdin?.write("go\n");
    const [one, two] = await Promise.all(racers.map(({ lines }) => nextLine(lines)));
    expect(new Set([...one, ...two]).size).toBe(200);
    expect(one.length + two.length).toBe(200);
  });

  it("keeps confirmed writes when the process is killed, and holds no lock afterwards", async () => {
    const { child, lines } = runScript(`
      for (let index = 0; ; index++) {
        await store.commit({ expect: [], set: [["left" + index, "1"], ["right" + index, "1"]] });
        say(index);
      }`);
    let confirmed = -1;
    while (confirmed < 25) confirmed = await nextLine(lines);
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = createSqliteStore({ dataDir: join(folder, "data") });
    for (let index = 0; index <= confirmed; index++)
      expect([await store.get(`left${index}`), await store.get(`right${index}`)]).toEqual(["1", "1"]);
    const lefts = await store.list("left", 1e6);
    const rights = await store.list("right", 1e6);
    expect(lefts.length).toBe(rights.length);
    expect(await store.setIfAbsent("after", "1")).toBe(true);
    await store.close();
  });

  it("rejects with degraded on a full disk without partial writes, and recovers when there is room", async () => {
    const { lines } = runScript(
      `
      await store.set("before", "1");
      const big = "x".repeat(100_000);
      for (let index = 0; ; index++) {
        try {
          await store.commit({ expect: [], set: [["left" + index, big], ["right" + index, big]] });
        } catch (error) {
          say({ code: error.code, text: error.message, index });
          break;
        }
      }
      say(await store.get("before"));
      process.exit();`,
      // The kernel limits every file of this process to 1 MiB, like a full disk.
      "ulimit -f 2048;",
    );
    const refusal = await nextLine(lines);
    expect(refusal).toMatchObject({ code: "degraded" });
    expect(refusal.text).not.toMatch(/sqlite|disk|data/i);
    expect(await nextLine(lines)).toBe("1");

    const store = createSqliteStore({ dataDir: join(folder, "data") });
    expect(await store.get("before")).toBe("1");
    expect(await store.get(`left${refusal.index}`)).toBeNull();
    expect(await store.get(`right${refusal.index}`)).toBeNull();
    expect(await store.setIfAbsent(`left${refusal.index}`, "1")).toBe(true);
    await store.close();
  });

  it("rejects with degraded after it is closed, and can be closed twice", async () => {
    const store = createSqliteStore({ dataDir: folder });
    await store.set("a", "1");
    await store.close();
    const late: ReadonlyArray<() => Promise<unknown>> = [
      () => store.get("a"),
      () => store.set("a", "2"),
      () => store.setIfAbsent("b", "2"),
      () => store.commit({ expect: [], set: [["c", "2"]] }),
      () => store.range("c", 1, 1),
      () => store.replace("a", "1", "2"),
      () => store.delete("a"),
      () => store.deleteIf("a", "1"),
      () => store.list("", 10),
      () => store.ping(),
    ];
    for (const ask of late) await expect(ask()).rejects.toMatchObject({ code: "degraded" });
    await store.close();
    const again = createSqliteStore({ dataDir: folder });
    expect(await again.list("", 10)).toEqual([{ key: "a", value: "1" }]);
    await again.close();
  });

  it("rolls back a change that fails halfway, and continues", async () => {
    const store = createSqliteStore({ dataDir: folder });
    const broken = [["left", "1"] as const, ["right", Symbol("no text") as unknown as string] as const];
    await expect(store.commit({ expect: [], set: broken })).rejects.toMatchObject({ code: "degraded" });
    expect(await store.get("left")).toBeNull();
    expect(await store.commit({ expect: [["left", null]], set: [["left", "2"]] })).toBe(true);
    await store.close();
  });

  it("expires entries by the clock that it is given", async () => {
    let now = 1_000_000;
    const store = openSqliteStore(folder, { now: () => now });
    await store.set("a", "1", 10);
    now += 9_999;
    expect(await store.get("a")).toBe("1");
    now += 1;
    expect(await store.get("a")).toBeNull();
    expect(await store.replace("a", "1", "2")).toBe(false);
    expect(await store.setIfAbsent("a", "3", 10)).toBe(true);
    await store.close();
  });

  it("removes expired entries, and no others, from its file after a minute", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let now = 1_000_000;
    const store = openSqliteStore(folder, { now: () => now });
    const file = new Database(join(folder, "hivegate.sqlite"));
    const keys = () => file.prepare("SELECT key FROM entries ORDER BY key").raw().all().flat();
    try {
      await store.set("brief", "1", 1);
      await store.set("for ever", "1");
      await store.set("long", "1", 3600);
      now += 60_000;
      vi.advanceTimersByTime(60_000);
      // A read runs after the writes before it.
      await store.get("long");
      expect(keys()).toEqual(["for ever", "long"]);
    } finally {
      file.close();
      await store.close();
      vi.useRealTimers();
    }
  });
});
