import type { Deviation, Stream } from "./chance.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";

export type Question = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
};
export type Answer = { status: number; headers: Record<string, string>; body: string };

/** A machine that answers requests. `answer` rejects only if the machine breaks down. */
export type Server = {
  isUp(): boolean;
  /** True if the server reacts to a caller's disconnect. Callers of such a server may wait for long. */
  heedsCallers: boolean;
  answer(question: Question): Promise<Answer>;
};

type End = (outcome: () => Answer) => void;

/** Every connection of a run. */
export type Network = {
  serve(host: string, server: Server): void;
  /** Sends requests for `host` to the machine that `choose` names at that moment. */
  balance(host: string, choose: () => string): void;
  exchange(from: SimulatedProcess, question: Question, end: End): void;
  /** Resets the connections to and from a dead process. */
  cut(name: string): void;
};

/** Time that an HTTP client without a limit waits for an answer. */
const PATIENCE_MS = 45_000;

const ODDS = {
  refused: 0.02,
  "request lost": 0.02,
  "answer lost": 0.03,
  "answer cut": 0.03,
  "request doubled": 0.02,
  "request late": 0.04,
  "answer late": 0.04,
  overloaded: 0.02,
  nonsense: 0.01,
  "answer replaced": 0.02,
};
type Fault = keyof typeof ODDS;

/** The page of an intermediary, which does not come from the server behind it. */
export const NONSENSE: Answer = { status: 200, headers: {}, body: "<html>" };

type Connection = { client: string; server: string; reset: () => void };

/** Creates a network. `scale` multiplies the probability of its faults. */
export function createNetwork(stage: () => Stage, scale: number): Network {
  const servers = new Map<string, Server>();
  const balanced = new Map<string, () => string>();
  const open = new Set<Connection>();
  const odds = Object.fromEntries(
    Object.entries(ODDS).map(([kind, probability]) => [kind, probability * scale]),
  ) as typeof ODDS;

  return {
    serve: (host, server) => void servers.set(host, server),
    balance: (host, choose) => void balanced.set(host, choose),
    cut(name) {
      for (const connection of open)
        if (connection.client === name || connection.server === name) connection.reset();
    },
    exchange(from, question, end) {
      const { chance, scheduler, note } = stage();
      const { host: named, pathname } = new URL(question.url);
      const host = balanced.get(named)?.() ?? named;
      const server = servers.get(host);
      const stream: Stream = chance.stream(`${from.name}>${host}`);
      const fault: Deviation<Fault> | null = stream.deviate<Fault>(odds);
      const label = `${from.name} > ${host} ${labelOf(question, pathname)}`;
      const [there, back] = [stream.between(1, 25), stream.between(1, 25)];
      if (fault) note(`${label} [${fault.kind}]`);
      const is = (kind: Fault) => fault?.kind === kind;
      const lateMs = fault ? fault.size * fault.size * 12_000 : 0;
      const away = server?.heedsCallers ? new AbortController() : null;
      let isOver = false;

      const finish = (outcome: () => Answer) => {
        if (isOver) return;
        isOver = true;
        open.delete(connection);
        question.signal?.removeEventListener("abort", leave);
        end(outcome);
      };
      const fail = (code: string) =>
        finish(() => {
          throw Object.assign(new Error(`network: ${code}`), { code });
        });
      const leave = () => {
        if (away) scheduler.after(there, () => away.abort());
        const reason: unknown = question.signal?.reason;
        finish(() => {
          throw reason;
        });
      };
      const connection: Connection = {
        client: from.name,
        server: host,
        reset: () => {
          open.delete(connection);
          scheduler.after(back, () => {
            away?.abort();
            fail("ECONNRESET");
          });
        },
      };
      open.add(connection);
      if (question.signal?.aborted) return leave();
      question.signal?.addEventListener("abort", leave);
      if (away) scheduler.after(PATIENCE_MS, () => fail("UND_ERR_HEADERS_TIMEOUT"));

      const deliver = (given: Answer) => {
        if (is("answer lost")) return;
        if (is("answer cut")) return void scheduler.after(back, () => fail("ECONNRESET"));
        const answer = is("answer replaced") ? NONSENSE : given;
        scheduler.after(back + (is("answer late") ? lateMs : 0), () => {
          if (!isOver) note(`${label} = ${answer.status} ${answer.body.slice(0, 160)}`);
          finish(() => answer);
        });
      };
      const arrive = () => {
        if (!server?.isUp()) return void scheduler.after(back, () => fail("ECONNREFUSED"));
        server.answer({ ...question, signal: away?.signal }).then(deliver, () => connection.reset());
      };
      if (is("refused") || !server) return void scheduler.after(there, () => fail("ECONNREFUSED"));
      if (is("request lost")) return;
      if (is("overloaded")) return deliver({ status: 503, headers: {}, body: "busy" });
      if (is("nonsense")) return deliver(NONSENSE);
      scheduler.after(there + (is("request late") ? lateMs : 0), arrive);
      if (is("request doubled")) scheduler.after(there + lateMs, arrive);
    },
  };
}

/** Returns the label of a call. Calls to chain nodes differ by their method. */
function labelOf({ method, body }: Question, pathname: string): string {
  const rpc = pathname === "/" && body ? /"method":"([^"]+)"/.exec(body)?.[1] : undefined;
  return rpc ?? `${method} ${pathname}`;
}
