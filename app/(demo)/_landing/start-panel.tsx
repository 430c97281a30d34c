"use client";

import { useRouter } from "next/navigation";
import { readSignedInAccount } from "../_pay/load-accounts.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { SignInPanel } from "../_session/sign-in-panel.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";

const loading = () => <Skeleton className="h-70 rounded-2xl pointer-coarse:h-71" />;
// First-time visitors do not load this part.
const Welcome = loadPart(() => import("./welcome.tsx").then((part) => part.Welcome), loading);

/**
 * Lets signed-in users continue, and shows others the ways in. `isBack` is true if the browser has a login session,
 * which may have ended.
 */
export function StartPanel({ isBack }: { isBack: boolean }) {
  const router = useRouter();
  const account = useLoaded("signed-in account", readSignedInAccount);
  const isLoading = account.status === "loading";
  if (isLoading && isBack) return loading();
  if (account.data !== null) return <Welcome name={account.data} onSignedOut={account.reload} />;
  // Until it may be used, the panel takes up its room unseen, so that nothing below it moves.
  return (
    <div className="relative">
      <div className={isLoading ? "invisible" : undefined}>
        <SignInPanel onSignedIn={() => router.push("/chat")} />
      </div>
      {isLoading && <Skeleton className="absolute inset-0 rounded-2xl" />}
    </div>
  );
}
