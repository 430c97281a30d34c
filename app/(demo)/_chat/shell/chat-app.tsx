"use client";

import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { CloudOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { ChatError, type Me } from "#lib/chat-client/index.ts";
import { sharedTipCounts, useFreshTipsOnReturn } from "../../_pay/tip-counts.ts";
import { eraseKeptChat, isMarkedKept } from "../../_session/erase-kept-chat.ts";
import { onOtherTab } from "../../_session/other-tabs.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { FailureDetails } from "../../_session/unavailable.tsx";
import { Button } from "../../_ui/button.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { dropLooks } from "../../_ui/shown-looks.ts";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { followDensity } from "../../_ui/theme.tsx";
import { Toasts, toast } from "../../_ui/toast.tsx";
import { type Chat, ChatContext } from "../chat-context.ts";
import { queryKeys } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { createOutbox } from "../data/outbox.ts";
import { createPresence, createTypingList } from "../data/presence.ts";
import { readEarly } from "../data/read-early.ts";
import { useRemovals } from "../data/removals.ts";
import { useConnection } from "../data/use-connection.ts";
import { useSender } from "../data/use-sender.ts";
import { isReadAnywhere, isReading } from "../data/use-view.ts";
import { loadParser } from "../message/parser.ts";
import { useFreshPresence } from "../people/presence.tsx";
import { strings } from "../strings.en.ts";
import { ChatShell } from "./chat-shell.tsx";
import { ChatSkeleton } from "./chat-skeleton.tsx";
import { SignedOutCard } from "./signed-out-card.tsx";

const SignInPanel = loadPart(
  () => import("../../_session/sign-in-panel.tsx").then((module) => module.SignInPanel),
  () => <Skeleton className="h-48" />,
);

const loadNotifications = () => import("../data/notifications.ts");

const isWorthRetrying = (error: unknown) =>
  !(error instanceof ChatError) || error.status === 0 || error.status >= 500;

/** The chat with its query cache: data is fresh while the socket is up, so nothing is polled. */
export function ChatApp({ children }: { children: ReactNode }) {
  const [cache] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            staleTime: Number.POSITIVE_INFINITY,
            refetchOnWindowFocus: false,
            retry: (failures, error) => failures < 2 && isWorthRetrying(error),
          },
        },
      }),
  );
  useEffect(followDensity, []);
  useEffect(() => {
    void readEarly(cache);
    return keepOnDevice(cache);
  }, [cache]);
  return (
    <QueryClientProvider client={cache}>
      <SignInGate>{children}</SignInGate>
      <Toasts />
    </QueryClientProvider>
  );
}

/**
 * Shows the chat stored on this device, and stores it from then on. It starts once its code has loaded; the
 * page works without it.
 */
function keepOnDevice(cache: QueryClient): () => void {
  let isOver = false;
  let stop = () => {
    isOver = true;
  };
  // The page brought no parsed messages.
  if (isMarkedKept()) void loadParser().catch(() => undefined);
  import("../data/kept-chat.ts")
    .then(({ followKeptChat }) => {
      if (!isOver) stop = followKeptChat(cache);
    })
    .catch(() => undefined);
  return () => stop();
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ChatError)) return strings.failed.offline;
  if (error.status === 503) return strings.failed.chain;
  if (error.status === 403) return strings.failed.forbidden;
  if (error.status === 429) return strings.failed.busy;
  if (error.status === 0) return strings.failed.offline;
  return [502, 504].includes(error.status) ? strings.failed.mattermost : strings.failed.other;
}

/**
 * Admits the user to the chat once they are known. Otherwise shows the ways to sign in, or what is
 * unavailable and what to do.
 */
function SignInGate({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const me = useQuery({
    queryKey: queryKeys.me,
    queryFn: ({ signal }) => chatClient.me({ signal }),
  });

  const leave = async () => {
    try {
      const { signOut } = await import("../../_session/sign-in.ts");
      await signOut();
    } catch (error) {
      toast.error(strings.account.stillSignedIn(problemOf(error)));
      return;
    }
    await cache.resetQueries();
  };
  useEffect(() => onOtherTab(() => void cache.resetQueries()), [cache]);

  const isForbidden = me.error instanceof ChatError && me.error.status === 403;
  const isSignedOut = me.error instanceof ChatError && me.error.status === 401;
  const isRefused = isForbidden || isSignedOut;
  useEffect(() => {
    if (isRefused) void eraseKeptChat();
  }, [isRefused]);
  const isShut = !me.isPending && (!me.data || isRefused);
  useEffect(() => {
    if (isShut) dropLooks();
  }, [isShut]);

  if (me.isPending) return <ChatSkeleton />;
  // Data that is already loaded stays while the gateway is unreachable.
  if (me.data && !isRefused)
    return (
      <ChatProvider key={me.data.user.id} {...me.data}>
        {children}
      </ChatProvider>
    );

  if (isSignedOut)
    return (
      <SignedOutCard>
        <SignInPanel onSignedIn={() => void cache.resetQueries()} />
      </SignedOutCard>
    );
  return (
    <main id="content" className="mx-auto max-w-xl px-4 pt-[max(2rem,8dvh)] pb-8">
      <Notice
        heading="h1"
        tone="danger"
        icon={<CloudOff aria-hidden size={28} />}
        title={strings.failed.title}
        actions={
          <>
            <Button tone="primary" isBusy={me.isFetching} onClick={() => void me.refetch()}>
              {strings.failed.retry}
            </Button>
            {isForbidden && <Button onClick={() => void leave()}>{strings.account.signOut}</Button>}
          </>
        }
      >
        <p>{reasonOf(me.error)}</p>
        <FailureDetails error={me.error} />
      </Notice>
    </main>
  );
}

/** Provides the state that an open chat shares, and opens its single connection. */
function ChatProvider({
  user: me,
  translates,
  hostsPictures,
  showsOutside,
  children,
}: Me & { children: ReactNode }) {
  const router = useRouter();
  const [outbox] = useState(() => createOutbox(me.username));
  const [typing] = useState(() => createTypingList());
  const [presence] = useState(() => createPresence());
  useFreshTipsOnReturn();
  const { send, resend, tellConnected } = useSender(me, outbox);
  const removals = useRemovals();

  const connection = useConnection({
    me,
    outbox,
    typing,
    presence,
    isReading,
    onArrival: sharedTipCounts.begin,
    onNews: async (post, channel, senderName, isMention, placeId) => {
      const notifications = await loadNotifications().catch(() => null);
      if (!notifications || (await isReadAnywhere(placeId))) return;
      await notifications.notify(post, channel, senderName, isMention, router.push);
    },
  });

  useEffect(() => onNotificationPress(router.push), [router]);
  useFreshPresence(presence, connection);
  useEffect(() => tellConnected(connection === "open"), [tellConnected, connection]);

  const chat = useMemo<Chat>(
    () => ({
      me,
      translates: translates === true,
      hostsPictures: hostsPictures === true,
      showsOutside: showsOutside === true,
      connection,
      outbox,
      removals,
      typing,
      presence,
      send,
      resend,
    }),
    [
      me,
      translates,
      hostsPictures,
      showsOutside,
      connection,
      outbox,
      removals,
      typing,
      presence,
      send,
      resend,
    ],
  );

  return (
    <ChatContext.Provider value={chat}>
      <ChatShell>{children}</ChatShell>
    </ChatContext.Provider>
  );
}

/**
 * Calls `open` with the path of a worker's notification when it is clicked. Call the returned function to
 * stop.
 */
function onNotificationPress(open: (path: string) => void): () => void {
  if (!("serviceWorker" in navigator)) return () => {};
  const { serviceWorker } = navigator;
  const onMessage = ({ data }: MessageEvent<{ open?: unknown } | null>) => {
    if (typeof data?.open === "string" && data.open.startsWith("/chat/")) open(data.open);
  };
  serviceWorker.addEventListener("message", onMessage);
  return () => serviceWorker.removeEventListener("message", onMessage);
}
