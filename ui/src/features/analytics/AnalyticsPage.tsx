import { Page } from '@/components/page';

export default function AnalyticsPage() {
  return <Page title="AnalyticsPage">…</Page>;
}
