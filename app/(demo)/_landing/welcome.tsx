"use client";

import Link from "next/link";
import { useState } from "react";
import { loadHistory } from "../_pay/load-accounts.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { chatSession } from "../_session/chat-session.ts";
import { problemOf } from "../_session/problem-of.ts";
import { signOut } from "../_session/sign-in.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { Button, buttonLook } from "../_ui/button.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { strings } from "./frame-texts.en.ts";

/** Shows signed-in users how they are signed in, and where to go. */
export function Welcome({ name, onSignedOut }: { name: string; onSignedOut: () => void }) {
  const [isLeaving, setIsLeaving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const leave = () => {
    setIsLeaving(true);
    setProblem(null);
    signOut().then(onSignedOut, (error: unknown) => {
      setIsLeaving(false);
      setProblem(strings.signedIn.still(problemOf(error)));
    });
  };
  return (
    <section
      aria-label={strings.signedIn.label}
      className="flex flex-col items-center gap-4 py-4 text-center"
    >
      <Avatar name={name} imageUrl={usePicture(name)} size="large" />
      <div>
        <h2 className="text-lg font-semibold">{strings.signedIn.title(name)}</h2>
        <Balance name={name} />
      </div>
      <Link href="/chat" prefetch={false} className={buttonLook({ tone: "primary", size: "large" })}>
        {strings.signedIn.continue(name)}
      </Link>
      <div className="flex flex-wrap justify-center gap-2">
        <Link href={`/payments?account=${name}`} prefetch={false} className={buttonLook({ tone: "plain" })}>
          {strings.signedIn.payments}
        </Link>
        <Button tone="plain" isBusy={isLeaving} onClick={leave}>
          {strings.signedIn.other}
        </Button>
      </div>
      {problem && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
    </section>
  );
}

/** Returns the address of the picture that a person chose in the chat. */
function usePicture(name: string): string | undefined {
  const { data } = useLoaded(name, (signal) => chatSession.me({ signal }));
  const { id, lastPictureUpdate: version } = data?.user ?? {};
  return version ? `/api/chat/users/${id}/image?v=${version}` : undefined;
}

/** The account's balance; hidden if the chain does not answer. */
function Balance({ name }: { name: string }) {
  const { data, status } = useLoaded(name, (signal) => loadHistory(name, signal));
  if (status === "loading") return <Skeleton className="mx-auto mt-1 h-6 w-24" />;
  return <p className="mt-1 text-ink-soft tabular-nums">{data?.balance}</p>;
}
