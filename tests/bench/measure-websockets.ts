import { cpuMs, memoryMb, type Subject, startBuiltGateway, startNginx, startScript } from "./children.ts";
import { type Measured, measureInTurn } from "./measure-in-turn.ts";
import type { Plan } from "./plan.ts";
import { printRows, printTable, say } from "./report.ts";
import type { Results } from "./results.ts";
import { openFanOut } from "./websocket-load.ts";

const FAN_OUTS = [
  { clients: 100, frames: 300 },
  { clients: 1000, frames: 30 },
];
const GATEWAY = "hivegate";

/** Measures websockets through the gateway and through nginx. */
export async function measureWebsockets({
  rounds,
  watch,
  keep,
}: Plan): Promise<Pick<Results, "rows" | "memory">> {
  const sockets = { rounds, watch, bases: ["nginx", "backend"] };
  const backend = keep(await startScript("backend", "backend.ts", [], 1));
  const chat = { CHAT_BASE_URL: `${backend.url}/api/v4`, HIVE_NODES: backend.url, RATE_LIMITS: "off" };
  const gateway = keep(await startBuiltGateway(GATEWAY, chat));
  const nginx = await startNginx(backend.url);
  const relays = [backend, ...(nginx ? [keep(nginx)] : []), gateway];
  const pathOf = ({ name }: Subject) => `${name === GATEWAY ? "/api/chat" : "/api/v4"}/websocket`;
  const rows: Results["rows"] = [];
  for (const { clients, frames } of FAN_OUTS)
    rows.push(
      ...(await measureInTurn(
        `fan-out to ${clients} websockets`,
        relays,
        (it) => measureFanOut(it, { path: pathOf(it), clients, frames, backendUrl: backend.url }),
        sockets,
      )),
    );
  printRows(rows, "websocket");
  say("opening 1,000 websockets at each server for its memory");
  const memory = [];
  const clients = 1000;
  for (const relay of relays) {
    const before = memoryMb(relay.pid);
    const fanOut = await openFanOut(
      `${relay.url.replace("http", "ws")}${pathOf(relay)}`,
      backend.url,
      clients,
    );
    const kbPerConnection = Math.round(((memoryMb(relay.pid) - before) * 1024) / clients);
    memory.push({ subject: relay.name, kbPerConnection });
    await fanOut.close();
  }
  printTable(memory, "memory");
  return { rows, memory };
}

async function measureFanOut(
  { url, pid }: Subject,
  {
    path,
    clients,
    frames,
    backendUrl,
  }: { path: string; clients: number; frames: number; backendUrl: string },
): Promise<Measured> {
  const fanOut = await openFanOut(`${url.replace("http", "ws")}${path}`, backendUrl, clients);
  await fanOut.burst(frames);
  const before = cpuMs(pid);
  let ms = 0;
  for (let time = 0; time < 5; time++) ms += await fanOut.burst(frames);
  const total = frames * clients * 5;
  const cpuUs = ((cpuMs(pid) - before) * 1000) / total;
  await fanOut.close();
  return { perSecond: (total / ms) * 1000, cpuUs };
}
