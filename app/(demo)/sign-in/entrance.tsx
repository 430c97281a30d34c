"use client";

import { useEffect } from "react";
import { readSignedInAccount } from "../_pay/load-accounts.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { eraseKeptChat } from "../_session/erase-kept-chat.ts";
import { onOtherTab } from "../_session/other-tabs.ts";
import { SignInPanel } from "../_session/sign-in-panel.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";

/** Loads the page anew, because the server answers a signed-in reader with the chat. */
function openChat(): void {
  if (window.location.pathname.startsWith("/chat")) window.location.reload();
  else window.location.replace("/chat");
}

/** Calls `act` when the browser shows the page again as the reader left it. Call the returned function to stop. */
function onReturn(act: () => void): () => void {
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) act();
  };
  window.addEventListener("pageshow", onShow);
  return () => window.removeEventListener("pageshow", onShow);
}

/** The ways to sign in, unless the reader signed in meanwhile: in another tab, or before going back to this page. */
export function Entrance() {
  const { status, data: account, reload } = useLoaded("signed-in account", readSignedInAccount);
  useEffect(() => onOtherTab(reload), [reload]);
  useEffect(() => onReturn(reload), [reload]);
  useEffect(() => {
    if (account !== null) openChat();
    else if (status === "ready") void eraseKeptChat();
  }, [account, status]);
  if (status === "loading" || account !== null) return <Skeleton className="h-48" />;
  return <SignInPanel onSignedIn={openChat} />;
}
