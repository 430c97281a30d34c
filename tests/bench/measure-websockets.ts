import { cpuMs, type Subject, startBuiltGateway, startNginx, startScript } from "./children.ts";
import { measureIdle } from "./idle-websockets.ts";
import { type Measured, measureInTurn } from "./measure-in-turn.ts";
import type { Plan } from "./plan.ts";
import { printRows, printTable, say } from "./report.ts";
import type { Results } from "./results.ts";
import { measureBesideSlow, measureSlowCost } from "./slow-readers.ts";
import { measureStorm } from "./storm.ts";
import { type Frames, openFanOut, untilAllClosed } from "./websocket-load.ts";

const GATEWAY = "hivegate";
const BURSTS = 5;

/** A server, and the address of its websockets. */
type Relay = Subject & { address: string; backendUrl: string };

/** Measures websockets through the gateway and through nginx. */
export async function measureWebsockets({
  rounds,
  watch,
  keep,
  websockets: { fanOuts, idle, storm, slow, cutLimitMs },
}: Plan): Promise<Pick<Results, "rows" | "idle" | "slowReaders">> {
  const sockets = { rounds, watch, bases: ["nginx", "backend"] };
  const backend = keep(await startScript("backend", "backend.ts", [], 1));
  const chat = { CHAT_BASE_URL: `${backend.url}/api/v4`, HIVE_NODES: backend.url, RATE_LIMITS: "off" };
  const gateway = keep(await startBuiltGateway(GATEWAY, chat));
  const nginx = await startNginx(backend.url);
  const asRelay = (subject: Subject): Relay => ({
    ...subject,
    address: `${subject.url.replace("http", "ws")}${subject.name === GATEWAY ? "/api/chat" : "/api/v4"}/websocket`,
    backendUrl: backend.url,
  });
  const proxies = [...(nginx ? [keep(nginx)] : []), gateway].map(asRelay);
  const relays = [asRelay(backend), ...proxies];

  // Memory is measured first, because afterwards it holds room that others left.
  const idleCosts: NonNullable<Results["idle"]> = [];
  for (const relay of proxies) {
    say(`opening ${idle.clients.toLocaleString("en")} idle websockets at ${relay.name}`);
    idleCosts.push({ subject: relay.name, ...(await measureIdle(relay, idle)) });
  }
  printTable(idleCosts, "idle");
  const slowCosts: NonNullable<Results["slowReaders"]> = [];
  for (const relay of proxies) {
    say(`sending a burst through ${relay.name} to ${slow.silent} clients that never read`);
    slowCosts.push({ subject: relay.name, ...(await measureSlowCost(relay, slow, cutLimitMs)) });
  }
  printTable(slowCosts, "slowReaders");

  const rows: Results["rows"] = [];
  /** Measures the relays in turn. Each begins when the backend has no websocket of the one before. */
  const measure = async (what: string, measureOne: (relay: Relay) => Promise<Measured>) => {
    const measureAlone = async (relay: Relay) => {
      const measured = await measureOne(relay);
      await untilAllClosed(backend.url, cutLimitMs);
      return measured;
    };
    rows.push(...(await measureInTurn(what, relays, measureAlone, sockets)));
  };
  for (const { clients, frames } of fanOuts)
    await measure(`fan-out to ${clients} websockets`, (it) => measureFanOut(it, clients, frames));
  await measure(`fan-out to ${slow.readers} websockets beside ${slow.silent} that never read`, (it) =>
    measureBesideSlow(it, slow),
  );
  await measure(`a storm of ${storm.perSecond} websockets a second`, (it) => measureStorm(it, storm));
  printRows(rows, "websocket");
  return { rows, idle: idleCosts, slowReaders: slowCosts };
}

async function measureFanOut(
  { address, pid, backendUrl }: Relay,
  clients: number,
  frames: Frames,
): Promise<Measured> {
  const fanOut = await openFanOut(address, backendUrl, clients);
  await fanOut.burst(frames);
  const before = cpuMs(pid);
  let ms = 0;
  for (let time = 0; time < BURSTS; time++) ms += await fanOut.burst(frames);
  const total = frames.count * clients * BURSTS;
  const cpuUs = ((cpuMs(pid) - before) * 1000) / total;
  await fanOut.close();
  return { perSecond: (total / ms) * 1000, cpuUs };
}
