import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import { underSignals } from "../async/time-limits.ts";
import type { Post } from "../chat-client/index.ts";
import { hasCode } from "../errors.ts";
import { wait } from "../x402/client/wait.ts";
import { createPostingCheck } from "../x402/paywall/posting-account.ts";
import {
  type ApprovalState,
  approvalText,
  cleanReason,
  readAnswer,
  readApprovalText,
  writeRequest,
} from "./approval-text.ts";
import type { Approval, Approvals, Question } from "./approvals.ts";
import type { ApprovalChat, Place } from "./chat.ts";

const ID_BYTES = 16;
/** Time for which a question is open, even if its payment waits longer without a chat. */
const QUESTION_MS = 600_000;
const MAX_QUEUED = 100;
/** The pause before the nodes are asked again for the owner's keys, and the chat for the owner's user. */
const ASK_AGAIN_SECONDS = 2;

type Decision = "approved" | "refused" | "expired";

/** Asks an owner in the chat, and reads the answers. */
export type ChatDoor = {
  /** Writes the question about a payment, unless it is written already. @throws ChatError */
  ask(approval: Approval, place: Place, reason: string | undefined): Promise<void>;
  /** Waits for the owner's decision about a payment. @throws the signal's reason */
  decided(approval: Approval, signal: AbortSignal): Promise<Decision>;
  /** Shows an outcome in the question and, if there is a sentence, in a reply. Never rejects. */
  report(approval: Approval, state: ApprovalState, sentence?: string): Promise<void>;
  /** Stops reading answers. */
  close(): void;
};

/**
 * Opens the chat as the way to an owner. An approval is a signature, by the current posting key of `owner` on which two
 * `nodes` agree, of the text that this side built and stored. A refusal needs no signature. Both count only in messages
 * of the owner's user, so those of others cost no check and displace no answer.
 */
export function openChatDoor({
  chat,
  agent,
  owner,
  nodes,
  approvals,
  now = Date.now,
  onFault = () => {},
}: {
  chat: ApprovalChat;
  agent: string;
  owner: string;
  nodes: readonly string[];
  approvals: Approvals;
  now?: (() => number) | undefined;
  /** Called with errors of the chat that no call reports. */
  onFault?: ((error: unknown) => void) | undefined;
}): ChatDoor {
  const isSigned = createPostingCheck(nodes);
  const closing = new AbortController();
  const { signal } = closing;
  /** The questions whose answers are expected, by the payment's id. */
  const questions = new Map<string, Question>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const waiting = new Map<string, Set<(decision: Decision) => void>>();
  const writing = new Map<string, Promise<void>>();

  const forget = (id: string) => {
    questions.delete(id);
    clearTimeout(timers.get(id));
    timers.delete(id);
  };
  const decide = (id: string, decision: Decision) => {
    if (decision !== "approved") forget(id);
    for (const resolve of waiting.get(id) ?? []) resolve(decision);
    waiting.delete(id);
  };

  const show = async ({ channelId, postId, text }: Question, state: ApprovalState) => {
    if (postId !== null) await chat.posts.edit(channelId, postId, writeRequest(text, state), { signal });
  };
  const quietly = (work: Promise<unknown>) =>
    work.then(
      () => {},
      (error: unknown) => {
        if (!signal.aborted) onFault(error);
      },
    );

  /** Reads what became of a payment, perhaps in another process, and reports it to the calls that wait for it. */
  const look = async (id: string): Promise<Approval | null> => {
    const rest = await approvals.find(id);
    const question = questions.get(id);
    const state = rest?.state ?? "expired";
    if (state === "refused" || state === "expired") decide(id, state);
    else if (state !== "waiting") decide(id, "approved");
    if (state === "taken" || state === "ended") forget(id);
    if (rest?.state === "expired" && question) await quietly(show(question, "expired"));
    return rest;
  };

  /** Ends a payment at its time, unless it has been used. */
  const expire = async (id: string) => {
    const rest = await look(id);
    if (!rest?.question) return;
    const { state, question } = rest;
    // The owner's command may have prolonged it.
    if (state === "waiting" || state === "approved") expect({ ...rest, question });
  };
  const expect = ({ id, question, endsAtMs }: Pick<Approval, "id" | "endsAtMs"> & { question: Question }) => {
    forget(id);
    questions.set(id, question);
    const timer = setTimeout(() => void expire(id).catch(startOver), Math.max(endsAtMs - now(), 0));
    (timer as { unref?: () => void }).unref?.();
    timers.set(id, timer);
  };

  /** Returns whether the owner signed a text, and asks the nodes until the payment ends. */
  const isOwners = async (text: string, signature: string, endsAtMs: number): Promise<boolean> => {
    while (now() < endsAtMs) {
      try {
        return await isSigned({ account: owner, text, signature });
      } catch (error) {
        if (!hasCode(error, "chain_unavailable")) throw error;
        await wait(ASK_AGAIN_SECONDS, signal);
      }
    }
    return false;
  };

  /** The id of the owner's user, or null until one is found. */
  let ownerId: string | null = null;
  const findOwner = async () => {
    const found = await chat.users.search(owner, { signal });
    ownerId = found.find(({ username }) => username === owner)?.id ?? null;
  };

  const read = async (post: Post): Promise<void> => {
    const answer = post.deleteAt > 0 ? null : readAnswer(post.message);
    if (!answer) return;
    for (const approval of await approvals.asked()) {
      const { id, question, state, endsAtMs } = approval;
      const terms = readApprovalText(question.text);
      if (state !== "waiting" || terms?.owner !== owner || !isPlaceOf(question, post)) continue;
      if ("signature" in answer) {
        if (!(await isOwners(question.text, answer.signature, endsAtMs)) || now() >= endsAtMs) continue;
        if ((await approvals.approve(id, endsAtMs))?.state !== "approved") continue;
        decide(id, "approved");
        await quietly(show(question, "approved"));
        // Another process may have used the approval meanwhile.
        const { outcome } = (await approvals.find(id)) ?? {};
        if (outcome) await quietly(show(question, outcome));
        // A signature approves one text.
        break;
      } else if (answer.refuses === terms.id && (await approvals.reject(id))) {
        decide(id, "refused");
        await quietly(show(question, "refused"));
      }
    }
    // Another process may have read the answer first.
    for (const id of waiting.keys()) await look(id);
  };

  let queued = 0;
  let last: Promise<unknown> = Promise.resolve();
  const readLater = (post: Post) => {
    const isAnswer = [...questions.values()].some((question) => isPlaceOf(question, post));
    if (!isAnswer || readAnswer(post.message) === null) return;
    if (ownerId === null) void quietly(catchUp());
    // Other messages take no room in the queue.
    if (post.userId !== ownerId || queued >= MAX_QUEUED) return;
    queued += 1;
    last = last
      .then(() => read(post))
      .catch(startOver)
      .finally(() => {
        queued -= 1;
      });
  };

  /** Reads the answers that were written while nobody listened. */
  const lookBack = async ({ channelId, rootId, postId }: Question) => {
    const thread = rootId || postId;
    const pages = await Promise.all([
      ...(thread === null ? [] : [chat.posts.page(channelId, { thread, signal })]),
      ...(rootId === "" ? [chat.posts.page(channelId, { signal })] : []),
    ]);
    const posts = pages.flatMap((page) => page.posts);
    for (const post of posts) readLater(post);
  };
  const readMissed = async () => {
    const open = (await approvals.asked()).filter(({ state }) => state === "waiting" || state === "approved");
    for (const approval of open) expect(approval);
    // Another process may have decided about the others.
    const others = new Set([...questions.keys(), ...waiting.keys()]);
    for (const { id } of open) others.delete(id);
    for (const id of others) await look(id);
    if (open.length === 0) return;
    await findOwner();
    if (ownerId === null) throw new Error("the chat does not know the owner");
    for (const { question } of open) await lookBack(question).catch(startOver);
  };
  let isBehind = false;
  let hasFailed = false;
  let catching: Promise<void> | null = null;
  /** Reads the missed answers. A call during a run causes one more run, however many calls there are. */
  const catchUp = (): Promise<void> => {
    isBehind = true;
    catching ??= (async () => {
      try {
        while (isBehind) {
          isBehind = false;
          if (hasFailed) await wait(ASK_AGAIN_SECONDS, signal);
          hasFailed = false;
          await readMissed().catch(startOver);
        }
      } finally {
        catching = null;
      }
    })();
    return catching;
  };
  /** Reads everything again after a failure, because no event repeats what was missed. */
  const startOver = (error: unknown): void => {
    if (signal.aborted) return;
    onFault(error);
    hasFailed = true;
    void quietly(catchUp());
  };
  chat.on("posted", ({ post }) => readLater(post), { signal });
  for (const name of ["gap", "resumed"] as const) chat.on(name, () => void quietly(catchUp()), { signal });
  void quietly(catchUp());

  const write = async (approval: Approval, { channelId, rootId = "" }: Place, reason: string | undefined) => {
    const { id, wanted, question: present } = approval;
    const endsAtMs = present ? approval.endsAtMs : Math.min(approval.endsAtMs, now() + QUESTION_MS);
    const { amount, payTo, network, url, request } = wanted;
    const text =
      present?.text ??
      approvalText({
        ...{ chat: new URL(chat.baseUrl).origin, id: bytesToHex(randomBytes(ID_BYTES)), agent, owner },
        ...{ amount, payTo, network, resource: withoutQuery(url), request },
        ...{ expiresAt: new Date(endsAtMs).toISOString(), reason: reason && cleanReason(reason) },
      });
    if (!readApprovalText(text))
      throw new TypeError("a payment with these terms can't be asked for in the chat");
    const question: Question = { text, channelId, rootId, postId: null };
    const noted = await approvals.note(id, question, endsAtMs);
    if (!noted) return;
    expect({ ...noted, question });
    await quietly(findOwner());
    const message = writeRequest(text, "waiting");
    const { id: postId } = await chat.posts.create(channelId, { message, rootId }, { signal });
    const written = { ...question, postId };
    const rest = await approvals.note(id, written, endsAtMs);
    if (!rest) return;
    questions.set(id, written);
    // A question that starts a thread may have been answered before its id was known.
    if (rootId === "") await quietly(lookBack(written));
  };

  return {
    async ask(approval, place, reason) {
      const { id } = approval;
      if (approval.question && approval.question.postId !== null) {
        // Answers to it may have been missed since an earlier process wrote it.
        if (!questions.has(id)) void quietly(catchUp());
        return;
      }
      const present = writing.get(id) ?? write(approval, place, reason).finally(() => writing.delete(id));
      writing.set(id, present);
      await present;
    },
    decided: ({ id }, given) =>
      underSignals([given, signal], (until) => {
        if (until.aborted) return Promise.reject(until.reason);
        return new Promise<Decision>((resolve, reject) => {
          const all = waiting.get(id) ?? new Set();
          waiting.set(id, all.add(resolve));
          until.addEventListener("abort", () => reject(until.reason), { once: true });
          // The decision may have come before this call.
          look(id).catch(reject);
        });
      }),
    async report({ question, id }, state, sentence) {
      forget(id);
      if (!question) return;
      const { channelId, rootId, postId } = question;
      await quietly(show(question, state));
      const thread = rootId || postId;
      if (sentence !== undefined && thread !== null)
        await quietly(chat.posts.create(channelId, { message: sentence, rootId: thread }, { signal }));
    },
    close() {
      closing.abort();
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/**
 * Returns whether a post is in the thread of a question. One that starts a thread is answered anywhere in its channel,
 * because it can stand there twice: the chat may have taken it although its writing failed.
 */
const isPlaceOf = ({ channelId, rootId }: Question, post: Post) =>
  post.channelId === channelId && (rootId === "" || (post.rootId || post.id) === rootId);

const withoutQuery = (url: string) => url.split(/[?#]/, 1)[0] ?? "";
