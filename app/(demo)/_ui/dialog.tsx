"use client";

import { clsx } from "clsx";
import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import { type ReactNode, type RefObject, useRef } from "react";
import { IconButton } from "./icon-button.tsx";
import { strings } from "./strings.en.ts";

type DialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  description?: string;
  children: ReactNode;
  className?: string;
  /** The element that first receives the focus, if not the first focusable one. */
  initialFocus?: RefObject<HTMLElement | null>;
  /**
   * The element that receives the focus afterwards, if a menu opened the dialog: the chosen item is gone by
   * then.
   */
  returnFocus?: RefObject<HTMLElement | null> | undefined;
};

/** A modal dialog: a sheet from below on a phone, centred elsewhere. It traps the focus and returns it. */
export function Dialog({
  isOpen,
  onOpenChange,
  title,
  description,
  children,
  className,
  initialFocus,
  returnFocus,
}: DialogProps) {
  const before = useRef<Element>(null);
  return (
    <Primitive.Root open={isOpen} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Primitive.Content
          onOpenAutoFocus={(event) => {
            before.current = document.activeElement;
            if (!initialFocus?.current) return;
            event.preventDefault();
            initialFocus.current.focus();
          }}
          // Without its own trigger, a dialog would lose the focus on closing.
          onCloseAutoFocus={(event) => {
            const back = returnFocus?.current ?? before.current;
            if (!(back instanceof HTMLElement)) return;
            event.preventDefault();
            // The focus of a user who moved elsewhere meanwhile stays there.
            if (document.activeElement === document.body) back.focus();
          }}
          className={clsx(
            "fixed inset-x-0 bottom-0 z-50 max-h-[90dvh] overflow-y-auto rounded-t-2xl border border-line bg-surface p-5 shadow-lift sm:top-1/2 sm:bottom-auto sm:mx-auto sm:w-[min(32rem,calc(100vw-2rem))] sm:-translate-y-1/2 sm:rounded-2xl",
            className,
          )}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div>
              <Primitive.Title className="text-lg font-semibold">{title}</Primitive.Title>
              {description && (
                <Primitive.Description className="mt-1 text-sm text-ink-soft">
                  {description}
                </Primitive.Description>
              )}
            </div>
            <Primitive.Close asChild>
              <IconButton label={strings.close} className="-mt-1.5 -me-1.5">
                <X aria-hidden size={18} />
              </IconButton>
            </Primitive.Close>
          </div>
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
