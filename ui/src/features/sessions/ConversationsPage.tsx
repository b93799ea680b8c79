import { Page } from '@/components/page';

export default function ConversationsPage() {
  return <Page title="ConversationsPage">…</Page>;
}
