"use client";

import { type ComponentProps, type FormEvent, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { readSandbox } from "./accounts.ts";
import { strings } from "./strings.en.ts";

const WIF = /^5[1-9A-HJ-NP-Za-km-z]{50}$/;

/**
 * A form for a posting key, which is accepted on the sandbox only. Elsewhere it explains why that is not possible.
 * `isReady` returns false, after asking for it, if something has to be filled in before the key.
 */
export function PostingKeyForm({
  button,
  isReady = () => true,
  onKey,
  className,
  ...look
}: {
  button: string;
  isReady?: () => boolean;
  onKey: (key: string) => void;
  className?: string;
} & Pick<ComponentProps<typeof Button>, "isBusy" | "disabled" | "size">) {
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const key = String(new FormData(form).get("key") ?? "").trim();
    const isSandbox = (await readSandbox().catch(() => null)) !== null;
    // The key stays for the next try.
    if (isSandbox && !isReady()) return;
    form.reset();
    if (!isSandbox) setProblem(strings.key.refused);
    else if (!WIF.test(key)) setProblem(strings.key.malformed);
    else onKey(key);
  };
  return (
    <form onSubmit={(event) => void submit(event)} className={className} autoComplete="off">
      <TextField
        name="key"
        type="password"
        label={strings.key.label}
        hint={strings.key.hint}
        error={problem}
        autoComplete="off"
        required
        onChange={() => setProblem(undefined)}
      />
      <Button type="submit" {...look}>
        {button}
      </Button>
    </form>
  );
}
