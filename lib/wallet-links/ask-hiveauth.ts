import { HiveAuthError } from "./hiveauth-error.ts";
import { hiveAuthLink } from "./hiveauth-links.ts";
import {
  ANSWER_MS,
  connect,
  type Frame,
  parse,
  pause,
  RETRY_MS,
  type RelayOptions,
} from "./hiveauth-relay.ts";
import { decryptWithPassphrase, encryptWithPassphrase } from "./passphrase-cipher.ts";

/** The least time for which a question stays, so that a wallet can answer it, whatever the relay says. */
const LEAST_QUESTION_MS = 5000;
/** The number of questions after which a relay counts as unusable: it names a new one about once a minute. */
const MOST_QUESTIONS = 10;

/** A question that waits at a relay, for a page that is loaded again meanwhile. It contains the key: never send it. */
export type HiveAuthQuestion = { uuid: string; key: string; link: string };

/** The options of every call that shows a link which a wallet of HiveAuth answers. */
export type AskOptions = RelayOptions & {
  /** The app's name, which the wallet shows. */
  app: string;
  /** Receives each question once the relay has it; its link is also the text of the QR code. */
  onQuestion: (question: HiveAuthQuestion) => void;
  /** Waits for this question instead of asking a new one. */
  earlier?: HiveAuthQuestion;
  /** Default 300,000. A relay drops a question sooner, and is then asked a new one. */
  withinMs?: number;
};

/**
 * Asks a wallet of HiveAuth to admit an app, and returns what `read` finds in its answer, and the key that encrypts what
 * the two exchange. The relay passes encrypted texts on and never gets the key, which is only in the link. A lost
 * connection is opened again and resumed. An answer in which `read` finds null is ignored.
 * @throws HiveAuthError, or the signal's reason
 */
export async function askHiveAuth<T>(
  options: AskOptions & { account: string; challenge?: { key_type: "posting"; challenge: string } },
  read: (answer: unknown) => T | null,
): Promise<{ answer: T; key: string }> {
  const { relay, account, app, challenge, onQuestion, withinMs = 300_000, signal } = options;
  const endsAt = performance.now() + withinMs;
  const key = options.earlier?.key ?? crypto.randomUUID();
  const content = { app: { name: app }, ...(challenge && { challenge }) };
  const request = {
    cmd: "auth_req",
    account,
    data: await encryptWithPassphrase(JSON.stringify(content), key),
  };
  let question = options.earlier ?? null;
  let asked = 0;
  if (question) onQuestion(question);

  /** Returns what is read from the answer, or null if the connection is lost. */
  const converse = async (connection: ReturnType<typeof connect>): Promise<T | null> => {
    await connection.opened;
    let questionMs = withinMs;
    let answerBy = endsAt;
    const ask = () => {
      question = null;
      if (asked === MOST_QUESTIONS) throw new HiveAuthError("relay_unavailable");
      asked += 1;
      answerBy = performance.now() + ANSWER_MS;
      connection.send(request);
    };
    const askAgain = async () => {
      await pause(RETRY_MS, signal);
      ask();
    };
    if (question) connection.send({ cmd: "attach_req", uuid: question.uuid });
    else ask();
    for (;;) {
      const frame = await connection.next(Math.min(answerBy, endsAt) - performance.now());
      if (frame === "closed") return null;
      if (frame === "late" && answerBy >= endsAt) throw new HiveAuthError("expired");
      if (frame === "late" && !question) throw new HiveAuthError("relay_unavailable");
      if (frame === "late") await askAgain();
      else if (frame.cmd === "connected")
        questionMs = Math.max((frame.timeout ?? withinMs / 1000) * 1000, LEAST_QUESTION_MS);
      else if (!question && frame.cmd === "auth_wait" && frame.uuid !== undefined) {
        const { uuid } = frame;
        question = { uuid, key, link: hiveAuthLink({ account, uuid, key, host: relay }) };
        answerBy = performance.now() + questionMs;
        onQuestion(question);
      } else if (!question && frame.cmd === "error") throw new HiveAuthError("relay_unavailable");
      else if (question && frame.uuid === question.uuid && frame.cmd === "attach_nack") await askAgain();
      else if (question && frame.uuid === question.uuid) {
        const text = await readAnswer(frame, key);
        const answer = text === null ? null : read(parse(text));
        if (answer !== null) return answer;
      }
    }
  };

  for (;;) {
    signal?.throwIfAborted();
    const connection = connect(options);
    try {
      const answer = await converse(connection);
      if (answer !== null) return { answer, key };
    } finally {
      connection.close();
    }
    if (!question) throw new HiveAuthError("relay_unavailable");
    if (performance.now() >= endsAt) throw new HiveAuthError("expired");
    await pause(RETRY_MS, signal);
  }
}

/** Returns the decrypted answer in a frame, or null if the wait goes on. A frame that no wallet encrypted is ignored. */
async function readAnswer({ cmd, data = "" }: Frame, key: string): Promise<string | null> {
  // Some wallets decline without a proof. A relay that invents this only ends a wait, as it could by silence.
  if (cmd === "auth_nack" || cmd === "auth_err") throw new HiveAuthError("declined");
  return cmd === "auth_ack" ? await decryptWithPassphrase(data, key) : null;
}
