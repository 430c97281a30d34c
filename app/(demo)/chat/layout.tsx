import type { Metadata } from "next";
import { headers } from "next/headers";
import { type ReactNode, Suspense } from "react";
import { latestPath, openingScript } from "../_chat/data/opening-script.ts";
import { Guarded } from "../_chat/message/message-text.tsx";
import { ChatApp } from "../_chat/shell/chat-app.tsx";
import { SentLook } from "../_chat/shell/sent-look.tsx";
import { strings } from "../_chat/strings.en.ts";
import { keptLookScript } from "../_ui/kept-look.ts";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

export default async function ChatLayout({ children }: { children: ReactNode }) {
  const asked = await headers();
  const nonce = asked.get("x-nonce") ?? undefined;
  const paths: string[] = JSON.parse(asked.get("x-opening") ?? "[]");
  const channelId = asked.get("x-sent-channel");
  return (
    <>
      {paths.length > 0 && (
        // A module without imports does not wait for the styles, while a plain script would. Browsers hide
        // the nonce from scripts, including React's.
        <script type="module" async suppressHydrationWarning nonce={nonce}>
          {openingScript(paths, channelId && latestPath(channelId)) + keptLookScript}
        </script>
      )}
      <ChatApp>{children}</ChatApp>
      {channelId && (
        <Guarded instead={null}>
          <Suspense>
            <SentLook channelId={channelId} />
          </Suspense>
        </Guarded>
      )}
    </>
  );
}
