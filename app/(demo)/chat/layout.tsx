import type { Metadata } from "next";
import type { ReactNode } from "react";
import { ChatApp } from "../_chat/shell/chat-app.tsx";

export const metadata: Metadata = { title: { absolute: "Hivegate chat" } };

export default function ChatLayout({ children }: { children: ReactNode }) {
  return <ChatApp>{children}</ChatApp>;
}
