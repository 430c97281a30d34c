"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ServerCrash } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { signOut } from "../../_session/sign-in.ts";
import { SignInPanel } from "../../_session/sign-in-panel.tsx";
import { FailureDetails } from "../../_session/unavailable.tsx";
import { Button } from "../../_ui/button.tsx";
import { Logo } from "../../_ui/logo.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { queryKeys } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { strings } from "../strings.en.ts";
import { ChatProvider } from "./chat-provider.tsx";
import { ChatSkeleton } from "./chat-skeleton.tsx";

function reasonOf(error: unknown): string {
  if (!(error instanceof ChatError)) return strings.failed.offline;
  if (error.status === 503) return strings.failed.chain;
  if (error.status === 403) return strings.failed.forbidden;
  if (error.status === 429) return strings.failed.busy;
  if (error.status === 0) return strings.failed.offline;
  return [502, 504].includes(error.status) ? strings.failed.backend : strings.failed.other;
}

/** Lets the chat in once the user is known: otherwise the ways to sign in, or what is down and what to do. */
export function SessionGate({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const me = useQuery({
    queryKey: queryKeys.me,
    queryFn: async ({ signal }) => (await chatClient.me({ signal })).user,
  });

  const leave = async () => {
    await signOut();
    await cache.resetQueries();
  };

  if (me.isPending) return <ChatSkeleton />;
  if (me.isSuccess)
    return (
      <ChatProvider key={me.data.id} me={me.data}>
        {children}
      </ChatProvider>
    );

  const isForbidden = me.error instanceof ChatError && me.error.status === 403;
  const isSignedOut = me.error instanceof ChatError && me.error.status === 401;
  return (
    <main id="content" className="mx-auto flex min-h-dvh max-w-xl flex-col justify-center px-4 py-8">
      {isSignedOut ? (
        <div className="rounded-2xl border border-line bg-surface p-5 shadow-lift sm:p-7">
          <Link href="/" prefetch={false} aria-label={strings.signedOut.home} className="mb-4 inline-block">
            <Logo className="size-10" />
          </Link>
          <h1 className="text-xl font-semibold">{strings.signedOut.title}</h1>
          <p className="mt-2 mb-6 text-ink-soft">{strings.signedOut.text}</p>
          <SignInPanel onSignedIn={() => void cache.resetQueries()} />
        </div>
      ) : (
        <Notice
          heading="h1"
          tone="danger"
          icon={<ServerCrash aria-hidden size={28} />}
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
      )}
    </main>
  );
}
