;; The scan over all vectors of a book: finds rows that score at least `floor`, 32 numbers at a time, with SIMD.
;; Its twin in plain JavaScript, in vector-kernel.ts, is its test oracle: both write the same bytes.
;; A row is `width` bytes of numbers, a multiple of 32, then its scale (f32). `layout` there describes the memory.
;; After a change: node scripts/build-kernel.mjs writes scan-module.ts.
(module
  (memory (export "memory") 5)
  (func (export "scan")
    (param $query i32)
    (param $at i32)
    (param $row i32)
    (param $count i32)
    (param $width i32)
    (param $mask i32)
    (param $out i32)
    (param $limit i32)
    (param $floor f32)
    (result i32)
    (local $q i32)
    (local $p i32)
    (local $stop i32)
    (local $a v128)
    (local $b v128)
    (local $score f32)
    block $all
      loop $rows ;; one row
        local.get $row
        local.get $count
        i32.ge_u
        br_if $all
        block $row_done
          local.get $mask
          if ;; the bit of this row
            local.get $mask
            local.get $row
            i32.const 3
            i32.shr_u
            i32.add
            i32.load8_u align=1
            local.get $row
            i32.const 7
            i32.and
            i32.shr_u
            i32.const 1
            i32.and
            i32.eqz
            br_if $row_done
          end
          i32.const 0
          i32x4.splat
          local.tee $a
          local.set $b
          local.get $query
          local.set $q
          local.get $at
          local.tee $p
          local.get $width
          i32.add
          local.set $stop
          loop $numbers ;; 32 numbers: 8 bytes widened to 16 bits, times 8 of the query, summed in pairs
            local.get $a
            local.get $p
            v128.load8x8_s align=1
            local.get $q
            v128.load align=1
            i32x4.dot_i16x8_s
            i32x4.add
            local.set $a
            local.get $b
            local.get $p
            v128.load8x8_s offset=8 align=1
            local.get $q
            v128.load offset=16 align=1
            i32x4.dot_i16x8_s
            i32x4.add
            local.set $b
            local.get $a
            local.get $p
            v128.load8x8_s offset=16 align=1
            local.get $q
            v128.load offset=32 align=1
            i32x4.dot_i16x8_s
            i32x4.add
            local.set $a
            local.get $b
            local.get $p
            v128.load8x8_s offset=24 align=1
            local.get $q
            v128.load offset=48 align=1
            i32x4.dot_i16x8_s
            i32x4.add
            local.set $b
            local.get $q
            i32.const 64
            i32.add
            local.set $q
            local.get $p
            i32.const 32
            i32.add
            local.tee $p
            local.get $stop
            i32.lt_u
            br_if $numbers
          end
          local.get $a
          local.get $b
          i32x4.add
          local.tee $a
          i32x4.extract_lane 0
          local.get $a
          i32x4.extract_lane 1
          i32.add
          local.get $a
          i32x4.extract_lane 2
          i32.add
          local.get $a
          i32x4.extract_lane 3
          i32.add
          f32.convert_i32_s
          local.get $stop
          f32.load align=1
          f32.mul
          local.tee $score
          local.get $floor
          f32.ge
          i32.eqz
          br_if $row_done
          local.get $out
          local.get $row
          i32.store align=1
          local.get $out
          local.get $score
          f32.store offset=4 align=1
          local.get $out
          i32.const 8
          i32.add
          local.tee $out
          local.get $limit
          i32.eq
          if ;; full: the caller reads the hits and continues from the next row
            local.get $row
            i32.const 1
            i32.add
            local.set $row
            br $all
          end
        end
        local.get $at
        local.get $width
        i32.add
        i32.const 4
        i32.add
        local.set $at
        local.get $row
        i32.const 1
        i32.add
        local.set $row
        br $rows
      end
    end
    i32.const 0
    local.get $row
    i32.store align=1
    local.get $out
  )
)
