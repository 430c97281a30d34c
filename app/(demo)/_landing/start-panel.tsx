"use client";

import { useRouter } from "next/navigation";
import { readSignedInAccount } from "../_pay/load-accounts.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { SignInPanel } from "../_session/sign-in-panel.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";

const loading = () => <Skeleton className="h-80 rounded-2xl" />;
// First-time visitors do not load this part.
const Welcome = loadPart(() => import("./welcome.tsx").then((part) => part.Welcome), loading);

/** Lets signed-in users continue, and shows others the ways in. */
export function StartPanel() {
  const router = useRouter();
  const account = useLoaded("signed-in account", readSignedInAccount);
  if (account.status === "loading") return loading();
  if (account.data === null) return <SignInPanel onSignedIn={() => router.push("/chat")} />;
  return <Welcome name={account.data} onSignedOut={account.reload} />;
}
