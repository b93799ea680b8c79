import { Page } from '@/components/page';

export default function SyncTab() {
  return <Page title="SyncTab">…</Page>;
}
