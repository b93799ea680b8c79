import { Page } from '@/components/page';

export default function ReviewPage() {
  return <Page title="ReviewPage">…</Page>;
}
