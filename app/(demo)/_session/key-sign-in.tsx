"use client";

import { type FormEvent, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import type { SignMessage } from "./sign-in.ts";
import { signMessageWithKey } from "./sign-with-key.ts";
import { strings } from "./strings.en.ts";

const WIF = /^5[1-9A-HJ-NP-Za-km-z]{50}$/;

/** Signing in with a posting key typed in: on the sandbox only, elsewhere it says why not. */
export function KeySignIn({
  username,
  isSandbox,
  isBusy,
  onSign,
}: {
  username: string;
  isSandbox: boolean;
  isBusy: boolean;
  onSign: (sign: SignMessage) => void;
}) {
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const key = String(new FormData(form).get("key") ?? "").trim();
    form.reset();
    if (!isSandbox) setProblem(strings.key.refused);
    else if (username === "") setProblem(strings.key.nameless);
    else if (!WIF.test(key)) setProblem(strings.key.malformed);
    else onSign((_username, message) => signMessageWithKey(key, message));
  };
  return (
    <details className="mt-4 text-sm">
      <summary className="font-medium text-accent-text">{strings.key.summary}</summary>
      <form onSubmit={submit} className="mt-3 space-y-3" autoComplete="off">
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
        <Button type="submit" isBusy={isBusy}>
          {strings.key.button}
        </Button>
      </form>
    </details>
  );
}
