"use client";

import { clsx } from "clsx";
import { HandCoins } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  readRequest,
  readSentence,
  writeAnswer,
} from "#lib/approvals/approval-text.ts";
import { readSandbox, signMessageWithKey } from "../../_session/accounts.ts";
import { ElsewhereWait } from "../../_session/elsewhere-wait.tsx";
import { signMessageWithKeychain, useMissingKeychain, WalletError } from "../../_session/keychain.ts";
import { isSignedInByWallet } from "../../_session/person.ts";
import { PostingKeyForm } from "../../_session/posting-key-form.tsx";
import { signAtRelay } from "../../_session/sign-at-relay.ts";
import { rememberWay, useWays } from "../../_session/sign-in-ways.ts";
import { EXPIRED } from "../../_session/use-sign-in.ts";
import { KeychainMissing, WalletWait } from "../../_session/wallet-wait.tsx";
import { useWalletsHere } from "../../_session/wallets-here.tsx";
import type { Way } from "../../_session/way.ts";
import { Button } from "../../_ui/button.tsx";
import { useLanguage } from "../../_ui/choose-language.ts";
import { useChat, useConversation } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import type { Post } from "../data/model.ts";
import { untilTime } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "./approval-strings.en.ts";

const MINUTE_MS = 60_000;
/** The pause after which the remaining time is written anew. */
const LOOK_MS = 5_000;

/** A message of an agent about money, or `children` if it is an ordinary message. */
export function Approval({ post, children }: { post: Post; children: ReactNode }) {
  const request = readRequest(post.message);
  if (request) return <RequestCard post={post} request={request} />;
  const sentence = readSentence(post.message);
  if (sentence === null) return children;
  const isSigned = post.message.includes("```hivegate-signature");
  return (
    <>
      <p className="[overflow-wrap:anywhere]">{sentence}</p>
      {isSigned && <p className="text-xs text-ink-soft">{strings.signed}</p>}
    </>
  );
}

/** A request for money, of which every shown part is in the text that the owner signs. */
function RequestCard({ post, request }: { post: Post; request: ApprovalRequest }) {
  useLanguage();
  const { me } = useChat();
  const author = useUser(post.userId)?.username;
  const { terms, text } = request;
  const { agent, owner, amount, payTo, resource, reason, chat } = terms;
  const leftMs = useLeft(Date.parse(terms.expiresAt));
  const [answered, setAnswered] = useState<"sent" | "refusing" | null>(null);
  const isOpen = request.state === "waiting" && leftMs > 0;
  const state = request.state === "waiting" && !isOpen ? "late" : request.state;
  const warning =
    // Its agent changes a request only once it no longer waits.
    request.state === "waiting" && post.editAt > 0
      ? strings.changed
      : author !== undefined && author !== agent
        ? strings.notTheAgent(agent)
        : placeOf(chat) !== placeOf(window.location.origin)
          ? strings.otherChat(chat)
          : null;
  const isMine = isOpen && owner === me.username && author === agent && warning === null;
  const title = useId();
  const line =
    state === "waiting"
      ? answered
        ? strings.states[answered](agent)
        : `${isMine ? strings.states.yours : strings.states.waiting(owner)}, ${strings.minutesLeft(Math.ceil(leftMs / MINUTE_MS))}`
      : strings.states[state];
  return (
    <section
      aria-labelledby={title}
      className="my-1 max-w-xl space-y-3 rounded-xl border border-line bg-raised p-4 text-sm"
    >
      <div className="flex items-start gap-3">
        <HandCoins aria-hidden size={20} className="mt-0.5 shrink-0 text-ink-soft" />
        <div className="min-w-0 grow">
          <p id={title} className="font-semibold [overflow-wrap:anywhere]">
            {strings.title(agent)}
          </p>
          <p className="text-xl font-semibold tabular-nums">{amount}</p>
        </div>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 [&>dd]:[overflow-wrap:anywhere] [&>dt]:text-ink-soft">
        <dt>{strings.payee}</dt>
        <dd className="font-medium">{payTo}</dd>
        <dt>{strings.resource}</dt>
        <dd>{resource}</dd>
        {reason !== undefined && (
          <>
            <dt>{strings.reason}</dt>
            <dd dir="auto">{reason}</dd>
          </>
        )}
      </dl>
      <p
        role="status"
        className={clsx(
          "font-medium",
          state === "paid"
            ? "text-good"
            : state === "waiting" || state === "approved"
              ? "text-ink"
              : "text-ink-soft",
        )}
      >
        {line}
      </p>
      {warning !== null && (
        <p role="alert" className="text-danger">
          {warning}
        </p>
      )}
      {isMine && answered === null && (
        <Decision post={post} request={request} leftMs={leftMs} onAnswer={setAnswered} />
      )}
      <details>
        <summary className="text-xs text-ink-soft">{strings.signedText}</summary>
        <pre className="mt-2 overflow-x-auto rounded-lg bg-sunken p-3 text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
          {text}
        </pre>
      </details>
    </section>
  );
}

/** Returns the origin, with one name for this machine. */
const placeOf = (origin: string) => origin.replace(/\/\/localhost(?=:|$)/, "//127.0.0.1");

/** Returns the milliseconds until a time, never less than 0, and renders again as they pass. */
function useLeft(endMs: number): number {
  const [leftMs, setLeft] = useState(() => untilTime(endMs));
  useEffect(() => {
    const timer = setInterval(() => setLeft(untilTime(endMs)), LOOK_MS);
    return () => clearInterval(timer);
  }, [endMs]);
  return leftMs;
}

const textWays = ["keychain", "hiveauth"] as const;
/** A wallet that signs a text which is not a sign-in. */
type TextWay = (typeof textWays)[number];
const signsText = (way: Way): way is TextWay => textWays.some((known) => known === way);

type Sign = (text: string, signal: AbortSignal) => Promise<string>;

/** The owner's buttons, and the ways to sign. */
function Decision({
  post,
  request: { terms, text },
  leftMs,
  onAnswer,
}: {
  post: Post;
  request: ApprovalRequest;
  leftMs: number;
  onAnswer: (kind: "sent" | "refusing") => void;
}) {
  const { me } = useChat();
  const { isMember } = useConversation();
  const { amount, payTo, owner, id } = terms;
  const keychain = useMissingKeychain();
  const wallets = useWalletsHere();
  /** The wallets that sign any text; the others only prove who signs in. */
  const ways = useWays(wallets).ways.filter(signsText);
  const [busy, setBusy] = useState<"signing" | TextWay | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  const send = async (sentence: string, answer: ApprovalAnswer, kind: "sent" | "refusing") => {
    try {
      const message = writeAnswer(sentence, answer);
      await chatClient.posts.create(post.channelId, { message, rootId: post.rootId || post.id });
      onAnswer(kind);
    } catch {
      setProblem(strings.failures.unsent);
    }
  };
  const approveWith = async (sign: Sign, way: TextWay | null) => {
    const stopping = new AbortController();
    leaving.current = stopping;
    setProblem(null);
    setLink(null);
    setBusy(way ?? "signing");
    const timer = setTimeout(() => stopping.abort(), leftMs);
    try {
      const signature = await sign(text, stopping.signal);
      setBusy("signing");
      if (way) rememberWay(way);
      await send(strings.approved(amount, payTo), { signature }, "sent");
    } catch (error) {
      if (!stopping.signal.aborted && error !== EXPIRED) setProblem(problemOf(error));
    } finally {
      clearTimeout(timer);
      setBusy(null);
    }
  };
  const ask = async (way: TextWay) => {
    if (way === "hiveauth") {
      const asked = { relay: wallets.hiveAuthRelay ?? "", account: owner, withinMs: leftMs };
      const onQuestion = (question: { link: string }) => setLink(question.link);
      await approveWith((message, signal) => signAtRelay({ ...asked, message, signal, onQuestion }), way);
    } else if (await keychain.look())
      await approveWith((message, signal) => signMessageWithKeychain(owner, message, signal), way);
  };
  /** Signs as the user signed in: with the wallet used last, or as a sandbox account. */
  const approve = async () => {
    const sandbox = isSignedInByWallet() ? null : await readSandbox().catch(() => null);
    const key = sandbox?.accounts.find(({ name }) => name === me.username)?.keys.posting;
    if (key === undefined) await ask(ways[0] ?? "keychain");
    else await approveWith((message) => signMessageWithKey(key, message), null);
  };
  if (!isMember) return null;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" isBusy={busy !== null} onClick={() => void approve()}>
          {strings.approve(amount)}
        </Button>
        <Button
          disabled={busy !== null}
          onClick={() => void send(strings.refusal(amount, payTo), { refuses: id }, "refusing")}
        >
          {strings.refuse}
        </Button>
      </div>
      {busy === "keychain" && (
        <WalletWait
          asks={strings.asksWallet(amount, payTo)}
          end={performance.now() + leftMs}
          onCancel={() => leaving.current?.abort()}
        />
      )}
      {busy === "hiveauth" && link !== null && (
        <ElsewhereWait
          way={busy}
          username={owner}
          link={link}
          end={performance.now() + leftMs}
          onCancel={() => leaving.current?.abort()}
        />
      )}
      {keychain.isMissing && (
        <p role="alert" className="text-danger">
          <KeychainMissing />
        </p>
      )}
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      <details>
        <summary className="font-medium text-link">{strings.otherWay}</summary>
        <div className="mt-3 space-y-3">
          <div className="flex flex-wrap gap-2">
            {ways.map((way) => (
              <Button key={way} size="small" disabled={busy !== null} onClick={() => void ask(way)}>
                {strings.ways[way]}
              </Button>
            ))}
          </div>
          <PostingKeyForm
            button={strings.keyButton}
            size="small"
            isBusy={busy !== null}
            onKey={(key) => void approveWith((message) => signMessageWithKey(key, message), null)}
            className="space-y-3"
          />
        </div>
      </details>
    </div>
  );
}

function problemOf(error: unknown): string {
  const { failures } = strings;
  if (!(error instanceof WalletError)) return failures.malformedKey;
  if (error.isUnreachable) return failures.relay;
  if (error.isStillAsking) return failures.stillAsking;
  return error.isCancelled ? failures.cancelled : failures.wallet;
}
