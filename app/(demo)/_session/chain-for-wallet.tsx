import { CopyText } from "../_ui/copy-button.tsx";
import { useChainHere } from "./chain-here.tsx";
import { strings } from "./wallet-strings.en.ts";

const texts = strings.chain;

/** The reason why a signature may be unknown off Hive's main chain, and help for wallet users. */
export function OtherChain({ isWallet }: { isWallet: boolean }) {
  const { network, isSandboxs } = useChainHere();
  return (
    <div className="mt-3 space-y-3">
      <p>{isSandboxs ? strings.ownChain : strings.otherChain(network)}</p>
      {isWallet && <ChainForWallet isOpen />}
    </div>
  );
}

/**
 * Instructions for switching a wallet, which defaults to Hive's main chain, to this chain. Renders nothing on
 * the main chain.
 */
export function ChainForWallet({ isOpen = false }: { isOpen?: boolean }) {
  const { network, chainId, nodes, isMain, isSandboxs } = useChainHere();
  const [node] = nodes;
  if (isMain) return null;
  return (
    <details className="text-start text-sm" open={isOpen}>
      <summary className="font-medium text-link pointer-coarse:py-3">
        {isSandboxs ? texts.ofSandbox.summary : texts.summary}
      </summary>
      <ol className="mt-2 list-decimal space-y-1 ps-5 text-ink-soft">
        {[...texts.steps, isSandboxs ? texts.ofSandbox.account : texts.account, texts.back].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <dl className="mt-2 rounded-xl bg-sunken px-3 py-2">
        <dt className="text-xs text-ink-soft">{texts.network}</dt>
        <dd>
          <CopyText text={network} label={texts.copyNetwork} copied={texts.copied} />
        </dd>
        {node !== undefined && (
          <>
            <dt className="text-xs text-ink-soft">{texts.node}</dt>
            <dd>
              <CopyText text={node} label={texts.copyNode} copied={texts.copied} />
            </dd>
          </>
        )}
        <dt className="text-xs text-ink-soft">{texts.chainId}</dt>
        <dd>
          <CopyText text={chainId} label={texts.copyChainId} copied={texts.copied} />
        </dd>
      </dl>
    </details>
  );
}
