"use client";

import { HandCoins } from "lucide-react";
import { useState } from "react";
import { Button } from "../_ui/button.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { messages } from "./messages.en.ts";

const TipDialog = loadPart(() => import("./tip-dialog.tsx").then((module) => module.TipDialog));

/** Opens the window in which somebody is tipped, for the message that `postUrl` leads to or as a person. */
export function TipButton({ toUsername, postUrl }: { toUsername: string; postUrl: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        <HandCoins aria-hidden size={15} />
        {messages.tip.button}
      </Button>
      {isOpen && <TipDialog toUsername={toUsername} postUrl={postUrl} onClose={() => setIsOpen(false)} />}
    </>
  );
}
