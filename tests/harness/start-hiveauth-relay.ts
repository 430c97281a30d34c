import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { postingKey, signText } from "./form-access-token.ts";

type Frame = { cmd: string; uuid?: string; account?: string; data?: string; [field: string]: unknown };

type Pending = {
  cmd: string;
  uuid: string;
  account: string;
  data: string;
  token: unknown;
  app: WebSocket;
  answer: Frame | null;
};

export type HiveAuthRelay = {
  url: string;
  /** Every frame that passed, as the relay sees it. */
  seen: string[];
  /** Replaces the frames that the relay sends to apps; null sends nothing. */
  treat(change: ((frame: Frame) => Frame | null) | null): void;
  /** Sends all apps a frame, after the frame that is on its way. */
  answerApps(frame: Frame): void;
  /** Cuts the connections of all apps. */
  cutApps(): void;
  /** Forgets the questions that wait. */
  forget(): void;
  close(): Promise<void>;
};

/** Starts a relay that speaks the protocol of HiveAuth, version 1, without its proofs of keys. */
export async function startHiveAuthRelay({ timeoutSeconds = 60 } = {}): Promise<HiveAuthRelay> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const seen: string[] = [];
  const pending = new Map<string, Pending>();
  const wallets = new Map<WebSocket, string[]>();
  let change: ((frame: Frame) => Frame | null) | null = null;
  const send = (socket: WebSocket, frame: Frame) => socket.send(JSON.stringify(frame));
  const sendApp = (socket: WebSocket, frame: Frame) => {
    const changed = change ? change(frame) : frame;
    if (changed) send(socket, changed);
  };
  const requestOf = ({ cmd, uuid, account, data, token }: Pending): Frame => ({
    ...{ cmd, uuid, account, data, token },
    expire: Date.now() + timeoutSeconds * 1000,
  });

  const answers: Record<string, (socket: WebSocket, frame: Frame) => void> = {
    auth_req: ask,
    sign_req: ask,
    attach_req(socket, { uuid = "" }) {
      const one = pending.get(uuid);
      sendApp(socket, { cmd: one ? "attach_ack" : "attach_nack", uuid });
      if (one) one.app = socket;
      if (one?.answer) sendApp(socket, one.answer);
    },
    register_req(socket, { accounts }) {
      const names = (accounts as Array<{ name: string }>).map(({ name }) => name);
      wallets.set(socket, names);
      for (const one of pending.values()) if (names.includes(one.account)) send(socket, requestOf(one));
    },
    auth_ack: answer,
    auth_nack: answer,
    sign_ack: answer,
    sign_nack: answer,
  };
  function ask(socket: WebSocket, { cmd, account = "", data = "", token }: Frame) {
    const one: Pending = { cmd, uuid: randomUUID(), account, data, token, app: socket, answer: null };
    pending.set(one.uuid, one);
    sendApp(socket, {
      cmd: cmd.replace("req", "wait"),
      uuid: one.uuid,
      account,
      expire: Date.now() + timeoutSeconds * 1000,
    });
    for (const [wallet, accounts] of wallets) if (accounts.includes(account)) send(wallet, requestOf(one));
  }
  function answer(_socket: WebSocket, frame: Frame) {
    const one = pending.get(frame.uuid ?? "");
    if (!one) return;
    one.answer = frame;
    sendApp(one.app, frame);
  }

  server.on("connection", (socket) => {
    send(socket, { cmd: "connected", protocol: 1, timeout: timeoutSeconds });
    socket.on("message", (bytes) => {
      const text = String(bytes);
      seen.push(text);
      const frame = JSON.parse(text) as Frame;
      answers[frame.cmd]?.(socket, frame);
    });
    socket.on("close", () => wallets.delete(socket));
  });

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    treat: (given) => {
      change = given;
    },
    answerApps: (frame) => {
      setImmediate(() => {
        for (const socket of server.clients) if (!wallets.has(socket)) send(socket, frame);
      });
    },
    cutApps: () => {
      for (const socket of server.clients) if (!wallets.has(socket)) socket.terminate();
    },
    forget: () => pending.clear(),
    async close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Answers a question as a wallet that has scanned its link, and returns the app and the text that it was shown. The
 * encryption is OpenSSL's format, by Node.
 */
export async function answerByHiveAuth(
  link: string,
  { approves = true, key: signingKey = postingKey }: { approves?: boolean; key?: typeof postingKey } = {},
): Promise<{ app: string; text: string }> {
  const { account, uuid, key, host } = JSON.parse(
    Buffer.from(link.replace("has://auth_req/", ""), "base64").toString(),
  );
  const socket = new WebSocket(host);
  try {
    await once(socket, "open");
    const arrived = new Promise<string>((resolve) => {
      socket.on("message", (bytes) => {
        const frame = JSON.parse(String(bytes)) as Frame;
        if (frame.cmd === "auth_req" && frame.uuid === uuid) resolve(frame.data ?? "");
      });
    });
    socket.send(JSON.stringify({ cmd: "register_req", app: "stand-in", accounts: [{ name: account }] }));
    const request = JSON.parse(decrypt(await arrived, key));
    const text = request.challenge.challenge as string;
    const signature = signText(text, signingKey(account, request.challenge.key_type));
    const answer = {
      expire: Date.now() + 86_400_000,
      challenge: { pubkey: signingKey(account).createPublic().toString(), challenge: signature },
    };
    const frame = approves
      ? { cmd: "auth_ack", uuid, data: encrypt(JSON.stringify(answer), key) }
      : { cmd: "auth_nack", uuid, data: encrypt(uuid, key) };
    await new Promise<void>((resolve, reject) =>
      socket.send(JSON.stringify(frame), (error) => (error ? reject(error) : resolve())),
    );
    return { app: request.app.name, text };
  } finally {
    socket.close();
  }
}

/** The only operation of a request, and what it says about the signing. */
export type AskedOperation = {
  operation: ["transfer", { from: string; to: string; amount: string; memo: string }];
  keyType: string;
  isSentByWallet: boolean;
  /** The token that the wallet gave the app when it admitted it. */
  token: string | undefined;
};

/**
 * Admits an app as a wallet that has scanned its link, and then answers each request to sign of this app with what
 * `answer` returns: the transaction's id, or null to decline. With `admits: false`, it does not admit the app, and with
 * `proves: false`, it declines requests without a proof. Resolves once it has answered the link.
 */
export async function admitByHiveAuth(
  link: string,
  answer: (asked: AskedOperation) => Promise<string | null>,
  { admits = true, proves = true }: { admits?: boolean; proves?: boolean } = {},
): Promise<{ close(): void }> {
  const { account, uuid, key, host } = JSON.parse(
    Buffer.from(link.replace("has://auth_req/", ""), "base64").toString(),
  );
  const socket = new WebSocket(host);
  await once(socket, "open");
  const reply = (frame: Frame) => socket.send(JSON.stringify(frame));
  const token = randomUUID();
  await new Promise<void>((resolve, reject) => {
    socket.on("message", (bytes) => {
      const frame = JSON.parse(String(bytes)) as Frame & { token?: string };
      if (frame.cmd === "auth_req" && frame.uuid === uuid) {
        const admission = { token, expire: Date.now() + 86_400_000 };
        if (admits) reply({ cmd: "auth_ack", uuid, data: encrypt(JSON.stringify(admission), key) });
        else reply({ cmd: "auth_nack", uuid, data: encrypt(uuid, key) });
        resolve();
      }
      if (frame.cmd !== "sign_req") return;
      const request = readRequest(frame.data ?? "", key);
      // Another admission of the same account has another key.
      if (request === null) return;
      const id = frame.uuid ?? "";
      answer({
        operation: request.ops[0],
        keyType: request.key_type,
        isSentByWallet: request.broadcast,
        token: frame.token,
      }).then((txId) => {
        if (txId !== null) reply({ cmd: "sign_ack", uuid: id, broadcast: true, data: txId });
        else reply({ cmd: "sign_nack", uuid: id, ...(proves && { data: encrypt(id, key) }) });
      }, reject);
    });
    reply({ cmd: "register_req", app: "stand-in", accounts: [{ name: account }] });
  });
  return { close: () => socket.close() };
}

/** Decrypts a request, or returns null for another passphrase. */
function readRequest(data: string, passphrase: string) {
  try {
    return JSON.parse(decrypt(data, passphrase));
  } catch {
    return null;
  }
}

/** Returns the key and the initialization vector that OpenSSL derives from a passphrase by MD5. */
function derive(passphrase: string, salt: Buffer) {
  const rounds: Buffer[] = [];
  for (let round = 0; round < 3; round++)
    rounds.push(
      createHash("md5")
        .update(Buffer.concat([rounds.at(-1) ?? Buffer.alloc(0), Buffer.from(passphrase), salt]))
        .digest(),
    );
  const all = Buffer.concat(rounds);
  return { key: all.subarray(0, 32), iv: all.subarray(32) };
}

/** Encrypts a text as `openssl enc -aes-256-cbc -md md5 -base64 -A` does. */
export function encrypt(text: string, passphrase: string): string {
  const salt = randomBytes(8);
  const { key, iv } = derive(passphrase, salt);
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([Buffer.from("Salted__"), salt, cipher.update(text), cipher.final()]).toString(
    "base64",
  );
}

/** Decrypts such a text. @throws Error for another passphrase */
export function decrypt(encrypted: string, passphrase: string): string {
  const bytes = Buffer.from(encrypted, "base64");
  const { key, iv } = derive(passphrase, bytes.subarray(8, 16));
  const decipher = createDecipheriv("aes-256-cbc", key, iv);
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString();
}
