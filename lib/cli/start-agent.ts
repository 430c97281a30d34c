import { AsyncLocalStorage } from "node:async_hooks";
import { WebSocket } from "ws";
import { type AskingFetch, createAskingFetch, type PaymentQuestion } from "../approvals/index.ts";
import { readJson } from "../async/read-body.ts";
import { createTurns } from "../async/turns.ts";
import { type ChatClient, ChatError, createChatClient, type Post } from "../chat-client/index.ts";
import {
  type Articles,
  paymentAnswers,
  type Sandbox,
  type SandboxChain,
} from "../contract/payment-answers.ts";
import { hasCode } from "../errors.ts";
import { signText } from "../hive/private-key.ts";
import { formatMils, NO_MILS } from "../mils.ts";
import { type BudgetStore, type MadePayment, PaymentError } from "../x402/client/index.ts";
import { confirmPayment } from "../x402/client/made-payment.ts";
import { explainFailure } from "./explain-failure.ts";
import { findAuthor } from "./find-author.ts";
import { keyOf } from "./pay-for-article.ts";

const { Article } = paymentAnswers;

const MAX_FRAME_BYTES = 1_000_000;
/** The number of questions that are answered at once, each of which can wait ten minutes for the owner. */
const MAX_ANSWERS = 20;
const MAX_OF_PERSON = 3;
const MAX_WAITING = 100;

class AgentSocket extends WebSocket {
  constructor(url: string) {
    super(url, { maxPayload: MAX_FRAME_BYTES });
  }
}

type AgentOptions = {
  baseUrl: string;
  account: string;
  /** The account that approves payments, in the thread where the article was asked for. */
  owner: string;
  limits: Limits;
  /** Stores questions, approvals and payments across restarts (default: memory). */
  store?: BudgetStore;
  tell: (line: string) => void;
};

/**
 * Signs in an account of a running sandbox and answers anyone who mentions it, in the same thread, from
 * articles that it buys once its owner approves. `ended` resolves when the agent is closed or signed out.
 * @throws Error with a printable message
 */
export async function startAgent({ baseUrl, account, owner, limits, store, tell }: AgentOptions) {
  let postingKey = "";
  const chat = createChatClient({
    baseUrl,
    login: { username: account, sign: (message) => signWith(postingKey, message) },
    WebSocket: AgentSocket,
  });
  const sandbox = await readSandbox(chat, baseUrl);
  postingKey = keyOf(sandbox, account, "posting");
  const reader = createReader(chat, { baseUrl, account, owner, sandbox, limits, store });
  const { userId } = await chat.signIn();

  const leaving = new AbortController();
  const { signal } = leaving;
  const turns = createTurns({ places: MAX_ANSWERS, mostOfPerson: MAX_OF_PERSON, mostWaiting: MAX_WAITING });
  /** The people who know that the line is full, until a place is free again. */
  const refused = new Set<string>();
  const working = new Set<Promise<void>>();
  const work = (running: Promise<unknown>) => {
    const done = running
      .then(() => {})
      .catch((error: unknown) => {
        if (!signal.aborted) tell(explainFailure(error));
      })
      .finally(() => working.delete(done));
    working.add(done);
  };
  const reply = async ({ channelId, rootId }: Thread, message: string) => {
    if (signal.aborted) return;
    await chat.posts.create(channelId, { message, rootId });
    tell(message);
  };
  const answer = async (words: string, place: Thread & { reason?: string }) => {
    const message = await reader.answer(words, place, signal).catch(explainFailure);
    await reply(place, message);
  };
  /** Answers once it is the turn of the message's author. */
  const answerInTurn = async ({ id, message, channelId, rootId, userId }: Post, senderName: string) => {
    const thread = { channelId, rootId: rootId || id };
    try {
      const giveBack = await turns.take({ person: userId }, signal);
      refused.clear();
      try {
        const name = await findAuthor(chat, { userId, senderName }, signal);
        await answer(message, { ...thread, ...(name !== null && { reason: `asked by @${name}` }) });
      } finally {
        giveBack();
      }
    } catch (error) {
      if (!hasCode(error, "overloaded")) throw error;
      if (refused.has(userId)) return;
      refused.add(userId);
      await reply(thread, "Too many questions wait for an answer. Ask me again in a few minutes.");
    }
  };

  chat.on("posted", ({ post, mentions, senderName }) => {
    if (mentions.includes(userId) && post.userId !== userId) work(answerInTurn(post, senderName));
  });
  chat.on("error", (error) =>
    tell(error instanceof ChatError ? error.message : "a frame that can't be read was passed over"),
  );
  const ended = new Promise<void>((resolve) => {
    chat.on("state", (state) => {
      if (state === "closed") resolve();
    });
  });
  const open = new Promise<void>((resolve) => {
    chat.on("gap", () => resolve());
  });
  chat.connect();
  await Promise.race([open, ended]);
  for (const { url, ...place } of await reader.unfinished()) work(answer(url, place));
  tell(`@${account} listens: mention it in a channel and name an article. Ctrl+C ends it.`);
  return {
    ended,
    async close() {
      leaving.abort();
      reader.close();
      chat.disconnect();
      await Promise.all(working);
    },
  };
}

type Thread = { channelId: string; rootId: string };

type SandboxWithChain = Sandbox & { chain: SandboxChain };

async function readSandbox(chat: ChatClient, baseUrl: string): Promise<SandboxWithChain> {
  const { chain, ...sandbox } = await chat.request<Sandbox>("/api/sandbox").catch((cause: unknown) => {
    const isAway = cause instanceof ChatError && cause.code === "offline";
    const fault = isAway ? "can't be reached" : "is no running sandbox";
    throw new Error(`${baseUrl} ${fault}; start the sandbox with npm run quickstart`, { cause });
  });
  if (!chain) throw new Error("this sandbox has no chain: nothing can be bought on it");
  return { ...sandbox, chain };
}

const SUMMARY_CHARACTERS = 240;

/** Spending limits: for one article without asking and with an approval, and in total. */
type Limits = { payUpTo?: string; maxPayment: string; budget: string };

/**
 * Creates a reader that buys the article that a question names, and answers the question from it in Markdown.
 */
function createReader(
  chat: ChatClient,
  {
    baseUrl,
    account,
    owner,
    sandbox,
    limits,
    store,
  }: Pick<AgentOptions, "baseUrl" | "account" | "owner" | "limits"> & {
    sandbox: SandboxWithChain;
    store: BudgetStore | undefined;
  },
) {
  /** The payments of the running answer. */
  const payments = new AsyncLocalStorage<MadePayment[]>();
  const nodes = [sandbox.chain.url];
  const ask: AskingFetch = createAskingFetch({
    ...{ chat, owner, account },
    activeKey: keyOf(sandbox, account, "active"),
    // Lets the agent return to its purchases without paying again.
    postingKey: keyOf(sandbox, account, "posting"),
    onPayment: (payment) => payments.getStore()?.push(payment),
    nodes,
    chainId: sandbox.chain.chainId,
    ...(limits.payUpTo !== undefined && { payUpTo: limits.payUpTo }),
    maxPayment: limits.maxPayment,
    budget: { perHost: limits.budget, ...(store && { store }) },
    allowedHosts: [new URL(baseUrl).host],
  });
  const readSpent = async () => {
    const { byHost } = await ask.spent();
    return `Spent so far: ${byHost[new URL(baseUrl).host] ?? formatMils(NO_MILS)} of ${limits.budget}.`;
  };
  /** Adds the spending to a sentence, if it can be read. */
  const withSpent = (sentence: string) =>
    readSpent().then(
      (spent) => `${sentence} ${spent}`,
      () => sentence,
    );
  const describePayment = async (made: MadePayment) => {
    const txId = await confirmPayment(nodes, made);
    return txId === null
      ? `I sent a payment of ${made.amount}, which the chain does not confirm.`
      : `I paid ${made.amount}, transaction \`${txId}\`.`;
  };

  const buy = async (slug: string, place: PaymentQuestion, signal: AbortSignal) => {
    const init = { headers: { accept: "application/json" }, signal };
    const made: MadePayment[] = [];
    const response = await payments.run(made, () => ask(`${baseUrl}/api/demo/articles/${slug}`, init, place));
    const { data: article } = Article.safeParse(await readJson(response));
    const [payment] = made;
    const paid = payment && (await describePayment(payment));
    if (!article) return withSpent(`The shop answered ${response.status}. ${paid ?? "Nothing was paid."}`);
    const { title, body, txId } = article;
    const start = body
      .slice(0, SUMMARY_CHARACTERS)
      .replace(/\s+\S*$/, "")
      .replaceAll("\n", " ");
    return [
      `**${title}** begins: ${start}…`,
      `Read on: ${baseUrl}/articles/${slug}`,
      await withSpent(
        paid ?? `I paid nothing: the shop says that I had bought it with transaction \`${txId}\`.`,
      ),
    ].join("\n\n");
  };

  return {
    close: ask.close,
    unfinished: async () =>
      (await ask.unfinished()).map(({ reason, ...rest }) => ({ ...rest, ...(reason && { reason }) })),
    async answer(question: string, place: PaymentQuestion, signal: AbortSignal): Promise<string> {
      const { articles } = await chat.request<Articles>("/api/demo/articles");
      const asked = question.toLowerCase();
      const wanted = articles.find(
        ({ slug, title }) => asked.includes(slug) || asked.includes(title.toLowerCase()),
      );
      if (!wanted) {
        const names = articles.map(({ slug, title, price }) => `- \`${slug}\`: ${title}, ${price}`);
        return ["Name one of these, and I buy and read it:", ...names].join("\n");
      }
      try {
        return await buy(wanted.slug, place, signal);
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return withSpent(`I have not read "${wanted.title}" for ${wanted.price}. ${explainFailure(error)}`);
      }
    },
  };
}

/**
 * Returns the signature (hex) of a text by a WIF key.
 * @throws TypeError, which does not contain the key, if the key is not in WIF
 */
function signWith(wif: string, text: string): string {
  const signature = signText(text, wif);
  if (signature === null) throw new TypeError("the posting key is not a private key in WIF");
  return signature;
}
