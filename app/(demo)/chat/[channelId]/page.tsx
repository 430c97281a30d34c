import { ChannelView } from "../../_chat/channel/channel-view.tsx";
import { PageFormatter } from "../../_chat/message/page-formatter.tsx";

export default async function ChannelPage({ params }: { params: Promise<{ channelId: string }> }) {
  const { channelId } = await params;
  return (
    <>
      <PageFormatter />
      <ChannelView channelId={channelId} />
    </>
  );
}
