"use client";

import { useRef } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { strings } from "../strings.en.ts";

/** Asks for confirmation before a message calls many people. */
export function EverybodyDialog({
  memberCount,
  onSend,
  onClose,
}: {
  memberCount: number;
  onSend: () => void;
  onClose: () => void;
}) {
  const send = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.composer.callTitle(memberCount)}
      description={strings.composer.callText}
      initialFocus={send}
    >
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button ref={send} tone="primary" onClick={onSend}>
          {strings.composer.callSend}
        </Button>
      </div>
    </Dialog>
  );
}
