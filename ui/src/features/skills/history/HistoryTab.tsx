import { Page } from '@/components/page';

export default function HistoryTab() {
  return <Page title="HistoryTab">…</Page>;
}
