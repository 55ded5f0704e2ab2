;; Adds rows of a table, each times a factor, to sums: 32 numbers at a time, with SIMD.
;; Its twin in plain JavaScript, in sum-rows.ts, is its test oracle: both compute the same integers.
;; A row is `width` bytes of numbers, a multiple of 32. The list has two i32 for each row: its offset and its factor, which fits 16
;; bits. `sum-rows.ts` describes the memory. After a change: node scripts/build-kernel.mjs writes sum-module.ts.
(module
  (memory (export "memory") 2)
  (func (export "sum")
    (param $list i32)
    (param $end i32)
    (param $width i32)
    (param $out i32)
    (result i32)
    (local $at i32)
    (local $offset i32)
    (local $p i32)
    (local $n v128)
    (local $factor v128)
    (local $a v128)
    (local $b v128)
    (local $c v128)
    (local $d v128)
    (local $e v128)
    (local $f v128)
    (local $g v128)
    (local $h v128)
    block $all
      loop $numbers ;; 32 numbers of all rows
        local.get $offset
        local.get $width
        i32.ge_u
        br_if $all
        local.get $out
        v128.load align=1
        local.set $a
        local.get $out
        v128.load offset=16 align=1
        local.set $b
        local.get $out
        v128.load offset=32 align=1
        local.set $c
        local.get $out
        v128.load offset=48 align=1
        local.set $d
        local.get $out
        v128.load offset=64 align=1
        local.set $e
        local.get $out
        v128.load offset=80 align=1
        local.set $f
        local.get $out
        v128.load offset=96 align=1
        local.set $g
        local.get $out
        v128.load offset=112 align=1
        local.set $h
        local.get $list
        local.set $at
        loop $rows ;; one row
          local.get $at
          i32.load offset=4 align=1
          i16x8.splat
          local.set $factor
          local.get $at
          i32.load align=1
          local.get $offset
          i32.add
          local.set $p
          local.get $p
          v128.load8x8_s align=1
          local.set $n
          local.get $a
          local.get $n
          local.get $factor
          i32x4.extmul_low_i16x8_s
          i32x4.add
          local.set $a
          local.get $b
          local.get $n
          local.get $factor
          i32x4.extmul_high_i16x8_s
          i32x4.add
          local.set $b
          local.get $p
          v128.load8x8_s offset=8 align=1
          local.set $n
          local.get $c
          local.get $n
          local.get $factor
          i32x4.extmul_low_i16x8_s
          i32x4.add
          local.set $c
          local.get $d
          local.get $n
          local.get $factor
          i32x4.extmul_high_i16x8_s
          i32x4.add
          local.set $d
          local.get $p
          v128.load8x8_s offset=16 align=1
          local.set $n
          local.get $e
          local.get $n
          local.get $factor
          i32x4.extmul_low_i16x8_s
          i32x4.add
          local.set $e
          local.get $f
          local.get $n
          local.get $factor
          i32x4.extmul_high_i16x8_s
          i32x4.add
          local.set $f
          local.get $p
          v128.load8x8_s offset=24 align=1
          local.set $n
          local.get $g
          local.get $n
          local.get $factor
          i32x4.extmul_low_i16x8_s
          i32x4.add
          local.set $g
          local.get $h
          local.get $n
          local.get $factor
          i32x4.extmul_high_i16x8_s
          i32x4.add
          local.set $h
          local.get $at
          i32.const 8
          i32.add
          local.tee $at
          local.get $end
          i32.lt_u
          br_if $rows
        end
        local.get $out
        local.get $a
        v128.store align=1
        local.get $out
        local.get $b
        v128.store offset=16 align=1
        local.get $out
        local.get $c
        v128.store offset=32 align=1
        local.get $out
        local.get $d
        v128.store offset=48 align=1
        local.get $out
        local.get $e
        v128.store offset=64 align=1
        local.get $out
        local.get $f
        v128.store offset=80 align=1
        local.get $out
        local.get $g
        v128.store offset=96 align=1
        local.get $out
        local.get $h
        v128.store offset=112 align=1
        local.get $out
        i32.const 128
        i32.add
        local.set $out
        local.get $offset
        i32.const 32
        i32.add
        local.set $offset
        br $numbers
      end
    end
    local.get $out
  )
)
