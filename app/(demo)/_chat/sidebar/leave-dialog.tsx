import type { RefObject } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { strings } from "../strings.en.ts";

/** Asks before a private channel is left, since nobody can come back on their own. */
export function LeaveDialog({
  name,
  menu,
  onLeave,
  onClose,
}: {
  name: string;
  /** The button of the menu that asks. */
  menu: RefObject<HTMLElement | null>;
  onLeave: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.channel.leaveTitle(name)}
      description={strings.channel.leaveText}
      returnFocus={menu}
    >
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button tone="danger" onClick={onLeave}>
          {strings.channel.leave}
        </Button>
      </div>
    </Dialog>
  );
}
