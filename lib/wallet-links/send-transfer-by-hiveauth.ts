import { type AskOptions, askHiveAuth } from "./ask-hiveauth.ts";
import { HiveAuthError } from "./hiveauth-error.ts";
import { connect, type Frame, isObject, pause, RETRY_MS, type RelayOptions } from "./hiveauth-relay.ts";
import { decryptWithPassphrase, encryptWithPassphrase } from "./passphrase-cipher.ts";
import type { LinkedTransfer } from "./transfer-links.ts";

export type HiveAuthTransferOptions = Omit<AskOptions, "earlier"> & {
  transfer: LinkedTransfer & { from: string };
  /**
   * Called once, before the wallet that has admitted the app is asked to send, which waits for a promise that it returns:
   * from then on, the transfer may have been sent, whatever the relay says.
   */
  onAsking?: () => unknown;
  /** Receives the reason why nothing was sent. */
  onUnsent?: (reason: Exclude<HiveAuthError["code"], "unconfirmed">) => void;
};

/**
 * Has a wallet of HiveAuth admit the app and then send a transfer, and returns the transaction's id, or null if nothing
 * was sent. The id is what the relay says: only the chain shows the transfer. The wallet is asked to send once at most:
 * a lost connection is resumed, and a question of which the relay knows nothing is not repeated.
 * @throws HiveAuthError `unconfirmed` if the transfer may have been sent; once it may have been, also the signal's reason
 */
export async function sendTransferByHiveAuth(options: HiveAuthTransferOptions): Promise<string | null> {
  const { transfer, onQuestion, onUnsent, withinMs = 300_000, signal } = options;
  const endsAt = performance.now() + withinMs;
  const questions = new Set<string>();
  let isAsked = false;
  try {
    const { answer, key } = await askHiveAuth(
      {
        ...options,
        account: transfer.from,
        onQuestion(question) {
          questions.add(question.uuid);
          onQuestion(question);
        },
      },
      readAdmission,
    );
    const request = await formRequest(transfer, answer, key);
    const onSending = () => {
      isAsked = true;
    };
    return await askOnce({ ...options, request, key, questions, endsAt, onSending });
  } catch (error) {
    const code = error instanceof HiveAuthError ? error.code : null;
    if (code === "unconfirmed" || (isAsked && code !== "declined")) throw error;
    if (code !== null) onUnsent?.(code);
    else if (!signal?.aborted) throw error;
    return null;
  }
}

/** The answer of a wallet that admits an app. Some wallets want to see their token again. */
type Admission = { token?: string };

function readAdmission(answer: unknown): Admission | null {
  // Wallets say until when they admit the app; the page's own request, which the relay may send back, does not.
  if (!isObject(answer) || typeof answer.expire !== "number") return null;
  const { token } = answer;
  return typeof token === "string" && token.length <= 100 ? { token } : {};
}

async function formRequest(
  { from, to, amount, memo }: HiveAuthTransferOptions["transfer"],
  { token }: Admission,
  key: string,
) {
  const content = {
    key_type: "active",
    ops: [["transfer", { from, to, amount, memo }]],
    broadcast: true,
    // Wallets refuse a request that they have seen, or that is older than one.
    nonce: Math.round(performance.timeOrigin + performance.now()),
  };
  const data = await encryptWithPassphrase(JSON.stringify(content), key);
  return { cmd: "sign_req", account: from, ...(token !== undefined && { token }), data };
}

/**
 * Sends a request to a relay once, and returns the transaction's id.
 * @throws HiveAuthError `declined` if the wallet proves it, or the signal's reason
 */
async function askOnce({
  request,
  key,
  questions,
  endsAt,
  onAsking,
  onSending,
  ...options
}: RelayOptions & {
  request: object;
  key: string;
  /** The ids of the questions that this key has encrypted before. */
  questions: ReadonlySet<string>;
  endsAt: number;
  onAsking?: HiveAuthTransferOptions["onAsking"];
  /** Called right before the request is sent. */
  onSending: () => void;
}): Promise<string> {
  let uuid: string | null = null;

  /** Returns the transaction's id, or null if the connection is lost. */
  const converse = async (connection: ReturnType<typeof connect>): Promise<string | null> => {
    for (;;) {
      const frame = await connection.next(endsAt - performance.now());
      if (frame === "closed") return null;
      if (frame === "late") throw new HiveAuthError("unconfirmed");
      // The relay may refuse a request that it has passed on.
      if (uuid === null && frame.cmd === "error") throw new HiveAuthError("unconfirmed");
      if (uuid === null && frame.cmd === "sign_wait" && frame.uuid !== undefined) uuid = frame.uuid;
      else if (uuid !== null && frame.uuid === uuid) {
        const txId = await readOutcome(frame, uuid, questions.has(uuid) ? null : key);
        if (txId !== null) return txId;
      }
    }
  };

  for (let isFirst = true; ; isFirst = false) {
    options.signal?.throwIfAborted();
    const connection = connect(options);
    try {
      await connection.opened;
      const check = () => {
        options.signal?.throwIfAborted();
        if (isFirst && !connection.isOpen()) throw new HiveAuthError("relay_unavailable");
      };
      check();
      if (isFirst) {
        await onAsking?.();
        check();
        onSending();
      }
      connection.send(isFirst ? request : { cmd: "attach_req", uuid });
      const txId = await converse(connection);
      if (txId !== null) return txId;
    } finally {
      connection.close();
    }
    // Without its id, a question cannot be resumed.
    if (uuid === null || performance.now() >= endsAt) throw new HiveAuthError("unconfirmed");
    await pause(RETRY_MS, options.signal);
  }
}

/** Relays name requests in this form. No text that this page encrypts has it, so none can be replayed as a proof. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the transaction's id in a frame, or null if the wait goes on. Only with a key, a wallet can prove that its owner
 * declined: the proof of an earlier question must not count for this one, which the relay may have given the same id.
 * @throws HiveAuthError
 */
async function readOutcome(
  { cmd, data = "" }: Frame,
  uuid: string,
  key: string | null,
): Promise<string | null> {
  if (cmd === "sign_ack" && TRANSACTION_ID.test(data)) return data;
  const isProvable = cmd === "sign_nack" && key !== null && UUID.test(uuid);
  if (isProvable && (await decryptWithPassphrase(data, key)) === uuid) throw new HiveAuthError("declined");
  if (ENDS.has(cmd)) throw new HiveAuthError("unconfirmed");
  return null;
}

const TRANSACTION_ID = /^[0-9a-f]{40}$/;
/** Frames after which a relay says no more about a request. */
const ENDS: ReadonlySet<string | undefined> = new Set(["sign_ack", "sign_nack", "sign_err", "attach_nack"]);
