import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ChatApp } from "../_chat/shell/chat-app.tsx";
import { strings } from "../_chat/strings.en.ts";

export const generateMetadata = (): Metadata => ({ title: { absolute: strings.pageTitle(0, null) } });

export default function ChatLayout({ children }: { children: ReactNode }) {
  return <ChatApp>{children}</ChatApp>;
}
