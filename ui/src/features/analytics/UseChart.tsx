/** The chart alone, loaded when it is first shown. */
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { Bar } from './figures';

export default function UseChart({ bars }: { bars: Bar[] }) {
  return (
    <BarChart
      h={280}
      data={bars}
      dataKey="label"
      type="stacked"
      withLegend
      legendProps={{ verticalAlign: 'bottom', height: 36 }}
      tickLine="none"
      gridAxis="x"
      maxBarWidth={28}
      // The table beside it is what screen readers get; the chart itself takes no focus.
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      yAxisProps={{ allowDecimals: false, width: 36 }}
      xAxisProps={{ minTickGap: 24 }}
      series={[
        { name: 'successes', label: 'Succeeded', color: 'teal.6' },
        { name: 'failures', label: 'Failed', color: 'red.6' },
      ]}
    />
  );
}
