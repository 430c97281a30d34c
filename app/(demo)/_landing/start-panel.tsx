"use client";

import { useRouter } from "next/navigation";
import { SignInPanel } from "../_session/sign-in-panel.tsx";

/** The ways in on the first page; a sign-in ends in the chat. */
export function StartPanel() {
  const router = useRouter();
  return <SignInPanel onSignedIn={() => router.push("/chat")} />;
}
