import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { openingScript } from "../_chat/data/opening-script.ts";
import { ChatApp } from "../_chat/shell/chat-app.tsx";
import { strings } from "../_chat/strings.en.ts";

/** Set by signing in to the chat; the gateway decides whether it still counts. */
const TOKEN_COOKIE = "chat_pat";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

export default async function ChatLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  const isSignedIn = (await cookies()).has(TOKEN_COOKIE);
  return (
    <>
      {isSignedIn && (
        // A module that waits for nothing, while a plain script would wait for the styles. Browsers hide the nonce from
        // scripts, React's among them.
        <script type="module" async suppressHydrationWarning nonce={nonce}>
          {openingScript}
        </script>
      )}
      <ChatApp>{children}</ChatApp>
    </>
  );
}
