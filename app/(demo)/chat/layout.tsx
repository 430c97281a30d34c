import type { Metadata } from "next";
import { headers } from "next/headers";
import { type ReactNode, Suspense } from "react";
import { latestPath } from "../_chat/data/opening-paths.ts";
import { Guarded } from "../_chat/message/guarded.tsx";
import { ChatApp } from "../_chat/shell/chat-app.tsx";
import { SentLook } from "../_chat/shell/sent-look.tsx";
import { strings } from "../_chat/strings.en.ts";
import { OPENING, type Opening } from "./_opening/opening.ts";
import { openingScript } from "./_opening/opening-script.ts";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

export default async function ChatLayout({ children }: { children: ReactNode }) {
  const asked = await headers();
  const nonce = asked.get("x-nonce") ?? undefined;
  const paths: string[] = JSON.parse(asked.get("x-opening") ?? "[]");
  const channelId = asked.get("x-sent-channel");
  const opening: Opening = { paths, sent: channelId && latestPath(channelId) };
  return (
    <>
      {paths.length > 0 && (
        // A module without imports does not wait for the styles, while a plain script would. Browsers hide
        // the nonce from scripts, including React's.
        <script
          id={OPENING}
          data-opening={JSON.stringify(opening)}
          type="module"
          async
          suppressHydrationWarning
          nonce={nonce}
        >
          {openingScript}
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
