import { writeFileSync } from "node:fs";
import {
  cpuMs,
  memoryMb,
  pin,
  type Subject,
  startBuiltGateway,
  startNginx,
  startScript,
} from "./children.ts";
import { measureDuePayments } from "./due-payments.ts";
import { loadHttp } from "./http-load.ts";
import { measureVerify, startVerifySubjects } from "./verify.ts";
import { openFanOut } from "./websocket-load.ts";

const ROUNDS = 3;
const SECONDS = 3;
const VERIFY_CONNECTIONS = 16;
const FAN_OUTS = [
  { clients: 100, frames: 300 },
  { clients: 1000, frames: 30 },
];

type Row = { what: string; subject: string; perSecond: number; cpuUs: number; ratio: number };

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const addressOf = {
  http: ({ name, url }: Subject) => (name === "hivegate" ? `${url}/api/chat/me` : `${url}/api/v4/users/me`),
  websocket: ({ name, url }: Subject) =>
    `${url.replace("http", "ws")}${name === "hivegate" ? "/api/chat" : "/api/v4"}/websocket`,
};

/** One measurement of each subject in turn, so many rounds; medians, as ratios to nginx (without it: to the backend itself). */
async function compare(
  what: string,
  subjects: Subject[],
  measure: (subject: Subject) => Promise<{ perSecond: number; cpuUs: number }>,
): Promise<Row[]> {
  const samples = new Map(
    subjects.map((subject) => [subject, [] as Array<{ perSecond: number; cpuUs: number }>]),
  );
  for (let round = 0; round < ROUNDS; round++)
    for (const subject of subjects) samples.get(subject)?.push(await measure(subject));
  const rows = subjects.map((subject) => {
    const of = samples.get(subject) ?? [];
    return {
      what,
      subject: subject.name,
      perSecond: Math.round(median(of.map(({ perSecond }) => perSecond))),
      cpuUs: Math.round(median(of.map(({ cpuUs }) => cpuUs)) * 10) / 10,
    };
  });
  const base =
    rows.find(({ subject }) => subject === "nginx") ?? rows.find(({ subject }) => subject === "backend");
  return rows.map((row) => ({
    ...row,
    ratio: Math.round((row.perSecond / (base?.perSecond ?? 1)) * 100) / 100,
  }));
}

async function measureHttp(subject: Subject, connections: number) {
  const before = cpuMs(subject.pid);
  const perSecond = await loadHttp(addressOf.http(subject), connections, SECONDS);
  return { perSecond, cpuUs: ((cpuMs(subject.pid) - before) * 1000) / (perSecond * SECONDS) };
}

async function measureFanOut(subject: Subject, backendUrl: string, clients: number, frames: number) {
  const fanOut = await openFanOut(addressOf.websocket(subject), backendUrl, clients);
  await fanOut.burst(frames);
  const before = cpuMs(subject.pid);
  let ms = 0;
  for (let time = 0; time < 5; time++) ms += await fanOut.burst(frames);
  const total = frames * clients * 5;
  const cpuUs = ((cpuMs(subject.pid) - before) * 1000) / total;
  await fanOut.close();
  return { perSecond: (total / ms) * 1000, cpuUs };
}

async function measureMemory(subjects: Subject[], backendUrl: string) {
  const clients = 1000;
  const rows = [];
  for (const subject of subjects) {
    const before = memoryMb(subject.pid);
    const fanOut = await openFanOut(addressOf.websocket(subject), backendUrl, clients);
    rows.push({
      subject: subject.name,
      kbPerConnection: Math.round(((memoryMb(subject.pid) - before) * 1024) / clients),
    });
    await fanOut.close();
  }
  return rows;
}

pin(process.pid, 1);
const backend = await startScript("backend", "./backend.ts", [], 1);
const all = [
  backend,
  await startNginx(backend.url),
  await startScript("undici proxy", "./undici-proxy.ts", [backend.url], 0),
  await startBuiltGateway(backend.url),
].filter((subject) => subject !== null);
const relays = all.filter(({ name }) => name !== "undici proxy");
try {
  for (const subject of all) await loadHttp(addressOf.http(subject), 16, 1);
  const memory = await measureMemory(relays, backend.url);
  const rows: Row[] = [];
  for (const connections of [64, 16, 1])
    rows.push(
      ...(await compare(`GET one user, ${connections} connections`, all, (subject) =>
        measureHttp(subject, connections),
      )),
    );
  for (const { clients, frames } of FAN_OUTS)
    rows.push(
      ...(await compare(`fan-out to ${clients} websockets`, relays, (subject) =>
        measureFanOut(subject, backend.url, clients, frames),
      )),
    );
  const verify = await startVerifySubjects();
  try {
    const measure = (subject: Subject) => measureVerify(subject, VERIFY_CONNECTIONS, SECONDS);
    rows.push(
      ...(await compare("POST /verify against the floor of its cryptography", verify.subjects, measure)),
    );
  } finally {
    verify.stop();
  }
  console.table(rows);
  console.table(memory);
  const duePayments = await measureDuePayments();
  console.table([duePayments]);
  writeFileSync("bench-results.json", `${JSON.stringify({ rows, memory, duePayments }, null, 2)}\n`);
} finally {
  for (const subject of all) subject.stop();
}
process.exit(0);
