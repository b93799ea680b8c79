import { Page } from '@/components/page';

export default function BenchTab() {
  return <Page title="BenchTab">…</Page>;
}
