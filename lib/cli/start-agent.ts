import { WebSocket } from "ws";
import { type AskingFetch, createAskingFetch, type PaymentQuestion } from "../approvals/index.ts";
import { type ChatClient, ChatError, createChatClient } from "../chat-client/index.ts";
import type { Article, Articles, Sandbox, SandboxChain } from "../contract/payment-answers.ts";
import { signText } from "../hive/private-key.ts";
import { addMils, formatMils, NO_MILS, parseMils } from "../mils.ts";
import { type BudgetStore, PaymentError } from "../x402/client/index.ts";
import { keyOf } from "./pay-for-article.ts";

const MAX_FRAME_BYTES = 1_000_000;
const MAX_WAITING = 20;

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
  const waiting = new Set<Promise<void>>();
  /** Answers in a thread, while other questions wait for the owner. */
  const answer = (words: string, place: PaymentQuestion & { rootId: string }) => {
    const { channelId, rootId } = place;
    const work = reader
      .answer(words, place, leaving.signal)
      .catch((error: Error) => `I failed: ${error.message}`)
      .then(async (message) => {
        if (leaving.signal.aborted) return;
        await chat.posts.create(channelId, { message, rootId });
        tell(message);
      })
      .catch((error: Error) => tell(error.message))
      .finally(() => waiting.delete(work));
    waiting.add(work);
  };

  chat.on("posted", ({ post, mentions, senderName }) => {
    if (!mentions.includes(userId) || post.userId === userId || waiting.size >= MAX_WAITING) return;
    const { message, channelId, rootId, id } = post;
    answer(message, { channelId, rootId: rootId || id, reason: `asked by ${senderName}` });
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
  for (const { url, ...place } of await reader.unfinished()) answer(url, place);
  tell(`@${account} listens: mention it in a channel and name an article. Ctrl+C ends it.`);
  return {
    ended,
    async close() {
      leaving.abort();
      reader.close();
      chat.disconnect();
      await Promise.all(waiting);
    },
  };
}

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
  let spentMils = NO_MILS;
  /** The transactions that no answer has named yet. */
  const paid = new Set<string>();
  const ask: AskingFetch = createAskingFetch({
    ...{ chat, owner, account },
    activeKey: keyOf(sandbox, account, "active"),
    // Lets the agent return to its purchases without paying again.
    postingKey: keyOf(sandbox, account, "posting"),
    onPayment: ({ txId }) => {
      if (txId !== null) paid.add(txId);
    },
    nodes: [sandbox.chain.url],
    chainId: sandbox.chain.chainId,
    ...(limits.payUpTo !== undefined && { payUpTo: limits.payUpTo }),
    maxPayment: limits.maxPayment,
    budget: { perHost: limits.budget, ...(store && { store }) },
    allowedHosts: [new URL(baseUrl).host],
  });
  const spent = () => `Spent so far: ${formatMils(spentMils)} of ${limits.budget}.`;

  const buy = async (slug: string, price: string, place: PaymentQuestion, signal: AbortSignal) => {
    const init = { headers: { accept: "application/json" }, signal };
    const response = await ask(`${baseUrl}/api/demo/articles/${slug}`, init, place);
    if (response.status !== 200) return `The shop answered ${response.status}. ${spent()}`;
    const { title, body, txId } = (await response.json()) as Article;
    const hasPaid = paid.delete(txId);
    if (hasPaid) spentMils = addMils(spentMils, parseMils(price) ?? NO_MILS);
    const start = body
      .slice(0, SUMMARY_CHARACTERS)
      .replace(/\s+\S*$/, "")
      .replaceAll("\n", " ");
    return [
      `**${title}** begins: ${start}…`,
      `Read on: ${baseUrl}/articles/${slug}`,
      `${hasPaid ? `I paid ${price}` : "I had bought it before, so it cost nothing"}, transaction \`${txId}\`. ${spent()}`,
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
        return await buy(wanted.slug, wanted.price, place, signal);
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return `I do not buy "${wanted.title}" for ${wanted.price}: ${error.message} ${spent()}`;
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
